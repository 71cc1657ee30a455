;;; cfg.el --- Configs of prime-rl, in eglot and lsp-mode  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1"))
;; Version: 0.1.0

;;; Commentary:

;; (add-to-list 'load-path "/path/to/editors/emacs")
;; (require 'cfg)
;;
;; With eglot (part of Emacs since 29):  M-x eglot in a TOML buffer, or
;;   (add-hook 'conf-toml-mode-hook #'eglot-ensure)
;; With lsp-mode:
;;   (add-hook 'conf-toml-mode-hook #'lsp)
;;
;; eglot runs one server for each mode.  lsp-mode runs cfg beside taplo: it is an add-on there.

;;; Code:

(require 'seq)
(require 'subr-x)

(defgroup cfg nil
  "Configs of prime-rl."
  :group 'tools)

(defcustom cfg-command '("cfg" "lsp")
  "The language server, with its arguments."
  :type '(repeat string)
  :group 'cfg)

(defvar cfg-modes '(conf-toml-mode toml-mode toml-ts-mode)
  "The modes of TOML files.")

(defun cfg--show (document)
  "Show DOCUMENT, with which a command has answered, in a buffer of its own."
  (let* ((of (lambda (key) (if (hash-table-p document)
                               (gethash (substring (symbol-name key) 1) document)
                             (plist-get document key))))
         (buffer (get-buffer-create (format "*%s*" (funcall of :title)))))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (funcall of :text))
        (goto-char (point-min)))
      (when (equal (funcall of :language) "toml")
        (conf-toml-mode))
      (setq buffer-read-only t))
    (display-buffer buffer)))

(declare-function eglot-current-server "eglot")
(declare-function eglot--path-to-uri "eglot")
(declare-function jsonrpc-request "jsonrpc")
(declare-function lsp-request "lsp-mode")
(declare-function lsp--buffer-uri "lsp-mode")
(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")

(defun cfg--execute (name &rest arguments)
  "Have the server do NAME about this buffer, with ARGUMENTS."
  (let ((params (lambda (uri) (list :command name :arguments (vconcat (vector uri) arguments)))))
    (if (and (bound-and-true-p lsp-mode) (fboundp 'lsp-request))
        (lsp-request "workspace/executeCommand" (funcall params (lsp--buffer-uri)))
      (jsonrpc-request (eglot-current-server) :workspace/executeCommand
                       (funcall params (eglot--path-to-uri buffer-file-name))))))

(defun cfg--run (name)
  "Ask the server for the document NAME about this buffer."
  (cfg--show (cfg--execute name)))

(defun cfg-compile ()
  "Show what prime-rl makes of this config."
  (interactive)
  (cfg--run "cfg.compile"))

(defun cfg-memory ()
  "Show what each GPU and the disk have to hold."
  (interactive)
  (cfg--run "cfg.memory"))

(defun cfg-curriculum ()
  "Draw when each phase of the curriculum begins."
  (interactive)
  (cfg--run "cfg.curriculum"))

(defun cfg-lineage ()
  "Show which version of this config comes from which."
  (interactive)
  (cfg--run "cfg.lineage"))

(defun cfg--said (&rest arguments)
  "Run the program itself with ARGUMENTS.  Return its exit status and what it says."
  (let ((command (seq-take-while (lambda (word) (not (equal word "lsp"))) cfg-command)))
    (with-temp-buffer
      (let ((status (apply #'call-process (car command) nil t nil (append (cdr command) arguments))))
        (cons status (string-trim (buffer-string)))))))

(defun cfg--reason ()
  "Show what a version of this config would record, and ask for its reason."
  (save-buffer)
  (let ((version (cfg--said "bump" "--dry-run" "--color=never" "--" buffer-file-name))
        (changes (cfg--said "diff" "--color=never" "--" buffer-file-name)))
    (unless (equal (car version) 0)
      (user-error "%s" (cdr version)))
    ;; A config that has no version yet has no changes; and a difference is no failure.
    (let* ((text (if (memq (car changes) '(0 1)) (concat (cdr version) "\n\n" (cdr changes)) (cdr version)))
           (window (cfg--show (list :title "cfg version" :text text))))
      (unwind-protect
          (read-string "What was changed, and why? ")
        (when (window-live-p window)
          (quit-window nil window))))))

(defun cfg-bump (why)
  "Make a version of this config, for the reason WHY."
  (interactive (list (cfg--reason)))
  (when (string-empty-p why)
    (user-error "Without a reason, no version is made"))
  ;; The server says what was made.
  (cfg--execute "cfg.bump" why)
  (revert-buffer t t t))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons cfg-modes (append cfg-command '(:initializationOptions (:virtualDocuments t))))))

(defvar lsp-language-id-configuration)
(with-eval-after-load 'lsp-mode
  (dolist (mode cfg-modes)
    (add-to-list 'lsp-language-id-configuration (cons mode "toml")))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () cfg-command))
                    :major-modes cfg-modes
                    :add-on? t
                    :initialization-options '(:virtualDocuments t)
                    :server-id 'cfg)))

(provide 'cfg)
;;; cfg.el ends here
