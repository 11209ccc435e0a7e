"""A headless browser for tests of pages: drives Chromium over a pipe with the DevTools protocol."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT = 120.0  # long, because other programs may use the machine [s]


def program():
    """Path of the browser, or None if no browser is installed."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """A page in a browser window, whose size is in pixels; use it in a `with` statement."""

    def __init__(self, path, width=1200, height=800):
        self.path, self.size, self.number = path, (width, height), 0

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        browser_input, self.requests = os.pipe()
        self.answers, browser_output = os.pipe()
        # The protocol requires its pipe at the descriptors 3 and 4.
        command = ["bash", "-c", 'exec "$@" 3<&%d 4>&%d' % (browser_input, browser_output), "bash", program()]
        options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle",
                   "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                   "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}",
                   f"--window-size={self.size[0]},{self.size[1]}", "about:blank"]
        self.process = subprocess.Popen([*command, *options], pass_fds=(browser_input, browser_output),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(browser_input)
        os.close(browser_output)
        self.buffer, self.session = b"", None
        target = self.call("Target.createTarget", url=f"file://{self.path}")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1],
                  deviceScaleFactor=1, mobile=False)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.requests)
        os.close(self.answers)
        self.folder.cleanup()

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns the result; raises RuntimeError with the browser's message."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.requests, text) :]
        while True:
            while b"\0" not in self.buffer:
                received = os.read(self.answers, 1 << 20)
                if not received:
                    raise RuntimeError("the browser has ended")
                self.buffer += received
            line, _, self.buffer = self.buffer.partition(b"\0")
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def value(self, expression):
        """Value of a JavaScript expression in the page; raises RuntimeError if the expression throws."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression):
        """Waits until an expression is true; raises TimeoutError if it stays false."""
        end = time.monotonic() + TIMEOUT
        while not self.value(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} did not become true")
            time.sleep(0.05)

    def click(self, x, y):
        """Clicks the mouse at a point of the window [pixels]."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start, end):
        """Drags the mouse from one point (x, y) to another."""
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=end[0], y=end[1], button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def screenshot(self, path):
        """Writes a PNG of the window."""
        shot = self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shot["data"]))
