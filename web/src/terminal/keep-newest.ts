// Keeps the newest rows of a screen visible where not all of them fit, until the person scrolls elsewhere.
import type { Terminal } from '@xterm/xterm'

/** How close counts as being there, in pixels. */
const NEAR = 6

/** `scroller` contains the screen and shows part of it. Returns a function that stops it. */
export function keepNewest(terminal: Terminal, scroller: HTMLElement): () => void {
  let isKept = true
  let frame = 0
  const follow = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(() => {
      if (isKept) scroller.scrollTop = newestTop(terminal, scroller)
    })
  }
  const onScroll = () => {
    isKept = Math.abs(scroller.scrollTop - newestTop(terminal, scroller)) <= NEAR
  }
  const onRender = terminal.onRender(follow)
  const watch = new ResizeObserver(follow)
  watch.observe(scroller)
  if (terminal.element) watch.observe(terminal.element)
  // Only user input: scrolling for other reasons must not look like leaving.
  const acts = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
  const onAct = () => requestAnimationFrame(() => requestAnimationFrame(onScroll))
  for (const act of acts) scroller.addEventListener(act, onAct, { passive: true })
  scroller.addEventListener('pointerup', onAct)
  return () => {
    cancelAnimationFrame(frame)
    onRender.dispose()
    watch.disconnect()
    for (const act of acts) scroller.removeEventListener(act, onAct)
    scroller.removeEventListener('pointerup', onAct)
  }
}

/** Where to scroll: the last row with content or the cursor, at the lower edge. */
function newestTop(terminal: Terminal, scroller: HTMLElement): number {
  const screen = terminal.element?.querySelector('.xterm-screen')
  if (!screen) return 0
  const box = screen.getBoundingClientRect()
  const above = box.top - scroller.getBoundingClientRect().top + scroller.scrollTop
  const end = above + ((lastRow(terminal) + 1) * box.height) / terminal.rows
  return Math.max(0, Math.min(end - scroller.clientHeight + above, scroller.scrollHeight - scroller.clientHeight))
}

function lastRow({ buffer: { active }, rows }: Terminal): number {
  for (let row = rows - 1; row > active.cursorY; row -= 1) {
    if (
      active
        .getLine(active.viewportY + row)
        ?.translateToString(true)
        .trim()
    )
      return row
  }
  return active.cursorY
}
