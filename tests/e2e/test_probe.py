import pytest, time
from playwright.sync_api import expect
from .conftest import *
def test_p(desks: Desks, server):
    desk=desks.open(server, None)
    t0=time.time()
    rec=[]
    def ws(s):
        s.on("framesent", lambda p: rec.append((round(time.time()-t0,3), len(p), (p if isinstance(p,bytes) else p.encode())[-400:])))
    desk.page.on("websocket", ws)
    desk.open()
    desk.page.wait_for_timeout(500)
    rec.clear()
    desk.add.press_sequentially("typed")
    desk.run.click()
    desk.page.wait_for_timeout(2500)
    print("CLICK", desk.answer.count(), desk.stale.count(), desk.answer.count() and desk.bars(), desk.labels())
    for r in rec: print("FRAME", r[:2], b"run" in r[2], r[2][:1500])
    rec.clear()
    desk.add.press_sequentially("typed2")
    desk.page.keyboard.press("Control+Enter")
    desk.page.wait_for_timeout(2500)
    print("CTRL", desk.answer.count(), desk.stale.count(), desk.answer.count() and desk.bars(), desk.labels())
    for r in rec: print("FRAME", r[:2], b"run" in r[2], r[2][:1500])
