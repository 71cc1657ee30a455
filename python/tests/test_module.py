"""The module, with the program that CFG_PRIME_RL_PROGRAM names or the wheel brought."""

import concurrent.futures
import os
import pickle
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import cfg_prime_rl

MISSPELT = "[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n"
RIGHT = 'max_steps = 20\n[model]\nname = "Qwen/Qwen3-0.6B"\n[trainer]\n[orchestrator]\n'


def _refuse(text: str) -> None:
    cfg_prime_rl.require(text, target="0.4.0")


class Module(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_no_program_of_the_working_folder_is_run(self) -> None:
        (self.folder / "cfg").write_text("#!/bin/sh\n")
        (self.folder / "cfg").chmod(0o755)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.folder)
        for folders in ["", ".", os.pathsep, os.pathsep.join([".", ""])]:
            with unittest.mock.patch.dict(os.environ, {"PATH": folders}), unittest.mock.patch.object(Path, "is_file", lambda _: False):
                os.environ.pop("CFG_PRIME_RL_PROGRAM", None)
                self.assertRaises(cfg_prime_rl.CfgError, cfg_prime_rl.program)

    def test_a_finding_has_its_place_and_its_repair(self) -> None:
        path = self.file("rl.toml", MISSPELT)
        report = cfg_prime_rl.check(path, target="0.4.0")
        (finding,) = report.errors
        self.assertEqual((finding.code, finding.name, finding.line, finding.column), ("PRL101", "unknown-key", 3, 1))
        self.assertEqual((finding.key, finding.native), ("orchestrator.rollouts_per_exmaple", "extra_forbidden"))
        self.assertEqual(finding.fix, cfg_prime_rl.Fix(title="rename to `rollouts_per_example`", is_safe=True))
        self.assertTrue(str(finding).startswith(f"{path}:3:1: error[PRL101] "), finding)
        self.assertEqual((report.files[0].verdict, report.files[0].kind, report.files[0].target), ("rejected", "rl", "0.4.0"))

    def test_a_printed_finding_controls_nothing(self) -> None:
        def finding(path: str, message: str) -> str:
            return str(cfg_prime_rl.Finding("PRL101", "unknown-key", "error", message, path))

        self.assertEqual(finding("a\x1b[31m.toml", "no key `k\n::error::x`"), "a\\x1b[31m.toml: error[PRL101] no key `k\\n::error::x`")
        self.assertTrue(finding("::stop.toml", "x").startswith("./::stop.toml"))
        self.assertIn("## [error]", finding("a.toml", "##[error]"))

    def test_a_text_is_told_from_a_path(self) -> None:
        self.assertEqual([finding.code for finding in cfg_prime_rl.check(MISSPELT, target="0.4.0").errors], ["PRL101"])
        self.assertTrue(cfg_prime_rl.check(str(self.file("rl.toml", RIGHT)), target="0.4.0").is_ok)

    def test_a_launch_command_is_composed(self) -> None:
        path = self.file("rl.toml", RIGHT)
        words = ["uv", "run", "rl", "@", str(path), "--max-stps", "5"]
        report = cfg_prime_rl.check(words, target="0.4.0")
        self.assertFalse(report.is_ok)
        self.assertIn("max-stps", report.errors[0].message)

    def test_a_script_can_refuse_to_start(self) -> None:
        with self.assertRaises(cfg_prime_rl.InvalidConfig) as caught:
            cfg_prime_rl.require(MISSPELT, target="0.4.0")
        self.assertEqual(caught.exception.report.errors[0].code, "PRL101")
        self.assertIn("rollouts_per_exmaple", str(caught.exception))
        self.assertTrue(cfg_prime_rl.require(RIGHT, target="0.4.0").is_ok)

    def test_values_and_memory_are_those_of_the_program(self) -> None:
        path = self.file("rl.toml", RIGHT)
        self.assertEqual(cfg_prime_rl.compile(path, target="0.4.0")["trainer"]["max_steps"], 20)
        memory = cfg_prime_rl.memory(path, target="0.4.0", gpu="2x H100")
        self.assertEqual(memory["gpus"][0]["verdict"], "fits")

    def test_what_can_not_be_done_is_raised(self) -> None:
        with self.assertRaises(cfg_prime_rl.CfgError) as caught:
            cfg_prime_rl.check(RIGHT, target="0.4.99")
        self.assertIn("0.4.99", str(caught.exception))
        for ask in (cfg_prime_rl.check, cfg_prime_rl.compile, cfg_prime_rl.memory):
            with self.assertRaises(cfg_prime_rl.CfgError):
                ask(self.folder / "nothere.toml", target="0.4.0")
        with self.assertRaises(cfg_prime_rl.InvalidConfig):
            cfg_prime_rl.compile(self.file("rl.toml", MISSPELT), target="0.4.0")

    def test_a_repair_is_applied_to_its_text(self) -> None:
        (finding,) = cfg_prime_rl.check(MISSPELT, target="0.4.0").errors
        assert finding.fix is not None
        self.assertEqual(finding.fix.apply(MISSPELT), MISSPELT.replace("exmaple", "example"))
        path = self.file("rl.toml", MISSPELT)
        (of_file,) = cfg_prime_rl.check(path, target="0.4.0").errors
        assert of_file.fix is not None
        self.assertEqual(of_file.fix.apply(MISSPELT), MISSPELT.replace("exmaple", "example"))
        # Another text of the same length has the same places.
        for other in ("x", MISSPELT.replace("16", "32"), MISSPELT + "\n"):
            self.assertNotEqual(other, MISSPELT)
            for fix in (finding.fix, of_file.fix):
                with self.assertRaises(ValueError):
                    fix.apply(other)

    def test_an_exception_reaches_another_process(self) -> None:
        report = cfg_prime_rl.check(MISSPELT, target="0.4.0")
        for error in (cfg_prime_rl.InvalidConfig(report), cfg_prime_rl.CfgError("no")):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again)), (type(error), str(error)))
        with concurrent.futures.ProcessPoolExecutor(1) as pool, self.assertRaises(cfg_prime_rl.InvalidConfig) as caught:
            pool.submit(_refuse, MISSPELT).result()
        self.assertEqual(caught.exception.report.verdict, "rejected")

    def test_what_is_undecided_is_refused(self) -> None:
        undecided = cfg_prime_rl.File("rl.toml", "rl", "0.4.0", "depends", ())
        report = cfg_prime_rl.Report((undecided,))
        self.assertEqual((report.verdict, report.is_ok), ("depends", True))
        self.assertIn("depends", str(cfg_prime_rl.InvalidConfig(report)))
        with unittest.mock.patch.object(cfg_prime_rl, "check", return_value=report):
            with self.assertRaises(cfg_prime_rl.InvalidConfig):
                cfg_prime_rl.require("rl.toml")
            self.assertIs(cfg_prime_rl.require("rl.toml", allow_depends=True), report)

    def test_only_configs_are_taken(self) -> None:
        for wrong in ({"max_steps": 1}, 3, None, b"max_steps = 1", [1, 2]):
            for ask in (cfg_prime_rl.check, cfg_prime_rl.compile, cfg_prime_rl.memory):
                with self.assertRaises(TypeError):
                    ask(wrong, target="0.4.0")  # type: ignore[arg-type]
        for wrong in ("a\0b.toml", ["rl", "@", "a\0b.toml"], [], "\ud800\n", "\ud800.toml", ["rl", "\ud800"]):
            for ask in (cfg_prime_rl.check, cfg_prime_rl.compile, cfg_prime_rl.memory):
                with self.assertRaises(cfg_prime_rl.CfgError):
                    ask(wrong, target="0.4.0")  # type: ignore[arg-type]
        for odd in ("\0\n", " \n", "[[[[\n", "{}\n"):
            self.assertEqual(cfg_prime_rl.check(odd, target="0.4.0", kind="rl").verdict, "rejected")
        self.assertEqual(len(cfg_prime_rl.check("", target="0.4.0", kind="rl").files), 1)

    def test_texts_and_commands_have_values(self) -> None:
        path = self.file("rl.toml", RIGHT)
        self.assertEqual(cfg_prime_rl.compile(RIGHT, target="0.4.0", kind="rl")["trainer"]["max_steps"], 20)
        command = ["uv", "run", "rl", "@", str(path), "--max-steps", "5"]
        self.assertEqual(cfg_prime_rl.compile(command, target="0.4.0")["trainer"]["max_steps"], 5)
        for config in (RIGHT, command):
            self.assertEqual(cfg_prime_rl.memory(config, target="0.4.0", gpu="2x H100")["gpus"][0]["verdict"], "fits")

    def test_a_finding_is_explained(self) -> None:
        self.assertIn("unknown-key", cfg_prime_rl.explain("PRL101"))
        with self.assertRaises(cfg_prime_rl.CfgError):
            cfg_prime_rl.explain("--help")
        self.assertIsInstance(cfg_prime_rl.__version__, str)

    def test_a_path_is_never_an_option(self) -> None:
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        self.file("--help", RIGHT)
        self.assertEqual(len(cfg_prime_rl.check("--help", target="0.4.0").files), 1)


if __name__ == "__main__":
    unittest.main()
