;;; Opens a broken config, expects the finding, applies the fix, saves.  -*- lexical-binding: t; -*-
;; Run by editors/main.rs: emacs --batch -l emacs.el
;; The environment names the server (CFG), the folder of the editors (CFG_EDITORS), the config (CFG_FILE) and the client (CFG_CLIENT).

(require 'package)
(package-initialize)

(defun say (format &rest arguments)
  (princ (concat (apply #'format format arguments) "\n")))

(defun fail (format &rest arguments)
  (say "failed: %s" (apply #'format format arguments))
  (kill-emacs 1))

(defun wait-until (what predicate)
  "Wait until PREDICATE holds; fail with WHAT if it never does."
  (let ((until (+ (float-time) 120)))
    (while (not (funcall predicate))
      (when (> (float-time) until)
        (fail "%s" what))
      (accept-process-output nil 0.02))))

(defvar client (intern (getenv "CFG_CLIENT")))
(unless (require client nil t)
  (say "skipped: %s is not installed" client)
  (kill-emacs 0))

(add-to-list 'load-path (expand-file-name "emacs" (getenv "CFG_EDITORS")))
(require 'cfg)
(setq cfg-command (list (getenv "CFG") "lsp"))
(setq make-backup-files nil create-lockfiles nil)

(defun first-line (text)
  (car (split-string text "\n")))

(defun show-found (line message)
  (say "%d %s" line (first-line message)))

(cond
 ((eq client 'eglot)
  (setf (alist-get cfg-modes eglot-server-programs nil nil #'equal)
        (append cfg-command '(:initializationOptions (:virtualDocuments t))))
  (setq eglot-sync-connect 120 eglot-autoshutdown nil eglot-send-changes-idle-time 0))
 ((eq client 'lsp-mode)
  (setq lsp-auto-guess-root t lsp-enable-file-watchers nil lsp-warn-no-matched-clients nil lsp-restart 'ignore
        lsp-session-file (expand-file-name "session" (file-name-directory (getenv "CFG_FILE")))
        lsp-server-install-dir (expand-file-name "servers" (file-name-directory (getenv "CFG_FILE")))
        lsp-enabled-clients '(cfg) lsp-diagnostics-provider :none lsp-enable-snippet nil
        lsp-headerline-breadcrumb-enable nil lsp-modeline-code-actions-enable nil lsp-lens-enable nil)))

(find-file (getenv "CFG_FILE"))
(conf-toml-mode)
(say "opened %s" (file-name-nondirectory (getenv "CFG_FILE")))

(cond
 ((eq client 'eglot)
  (apply #'eglot (eglot--guess-contact))
  (flymake-mode 1)
  (let ((come (lambda () (flymake-start) (flymake-diagnostics))))
    (wait-until "no diagnostic came" come)
    (dolist (one (flymake-diagnostics))
      (show-found (line-number-at-pos (flymake-diagnostic-beg one)) (flymake-diagnostic-text one)))
    (goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
    (let* ((actions (jsonrpc-request
                     (eglot-current-server) :textDocument/codeAction
                     (list :textDocument (eglot--TextDocumentIdentifier)
                           :range (list :start (eglot--pos-to-lsp-position) :end (eglot--pos-to-lsp-position))
                           :context (list :diagnostics []))))
           (action (seq-find (lambda (one) (eq (plist-get one :isPreferred) t)) actions)))
      (seq-do (lambda (one) (say "offered: %s" (plist-get one :title))) actions)
      (unless action (fail "no repair is offered"))
      (eglot--apply-workspace-edit (plist-get action :edit))
      (say "applied: %s" (plist-get action :title)))
    (eglot--signal-textDocument/didChange)
    (wait-until "it is still wrong" (lambda () (flymake-start) (null (flymake-diagnostics)))))
  (save-buffer)
  (say "saved, no findings")
  (cfg-memory))
 ((eq client 'lsp-mode)
  (lsp-workspace-folders-add (file-name-directory (getenv "CFG_FILE")))
  (lsp)
  (let ((come (lambda () (gethash (lsp--fix-path-casing buffer-file-name) (lsp-diagnostics t)))))
    (wait-until "no diagnostic came" come)
    (seq-do (lambda (one)
              (show-found (1+ (lsp-get (lsp-get (lsp-get one :range) :start) :line)) (lsp-get one :message)))
            (funcall come))
    (goto-char (point-min))
    (forward-line (lsp-get (lsp-get (lsp-get (seq-elt (funcall come) 0) :range) :start) :line))
    (let* ((actions (lsp-code-actions-at-point))
           (action (seq-find (lambda (one) (eq (lsp-get one :isPreferred) t)) actions)))
      (seq-do (lambda (one) (say "offered: %s" (lsp-get one :title))) actions)
      (unless action (fail "no repair is offered"))
      (lsp--apply-workspace-edit (lsp-get action :edit))
      (say "applied: %s" (lsp-get action :title)))
    (wait-until "it is still wrong" (lambda () (seq-empty-p (funcall come)))))
  (save-buffer)
  (say "saved, no findings")
  (cfg-memory)))

(let ((shown (seq-find (lambda (buffer) (string-suffix-p ".memory.txt*" (buffer-name buffer))) (buffer-list))))
  (unless shown (fail "the report of memory is not shown"))
  (with-current-buffer shown
    (say "memory: %s" (buffer-substring (point-min) (progn (goto-char (point-min)) (line-end-position))))))
(kill-emacs 0)
