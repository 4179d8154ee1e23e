// Chromium looking at the board: when a change is drawn, and whether the page stays smooth while many come.

const SINGLE = 30
const PER_SECOND = 20
const SECONDS = 10

export async function drawChanges({ place, loop, sessions, chromium: executablePath }) {
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.addInitScript(watchPage)
    await page.goto(loop.link())
    await page.locator('[data-card="app-2"]').waitFor()
    await page.waitForTimeout(1_000)
    const times = []
    for (let n = 0; n < SINGLE; n++) {
      times.push(await drawn(page, place, visible(n, sessions), `Drawn ${n}`))
      await page.waitForTimeout(100)
    }
    return { times, busy: await keepBusy(page, place, sessions) }
  } finally {
    await browser.close()
  }
}

/** Those in the first column's first cards, so that it is on the screen and not below it. */
function visible(n, sessions) {
  return Math.min(sessions, 2 + 8 * (n % 3))
}

async function drawn(page, place, n, title) {
  const seen = page.evaluate((text) => window.aoBench.until(text), title)
  // The question must be there before the answer.
  await page.evaluate(() => 0)
  const began = Date.now()
  place.writeSession(n, { title })
  return (await seen) - began
}

async function keepBusy(page, place, sessions) {
  await page.evaluate(() => window.aoBench.begin())
  const times = []
  for (let n = 0; n < PER_SECOND * SECONDS; n++) {
    const due = performance.now() + 1_000 / PER_SECOND
    if (n % 6 === 5) void drawn(page, place, visible(n, sessions), `Busy ${n}`).then((ms) => times.push(ms))
    else place.writeSession(30 + ((n * 13) % (sessions - 30)), { title: `Busy ${n}` })
    await page.waitForTimeout(Math.max(1, due - performance.now()))
  }
  await page.waitForTimeout(500)
  return { ...(await page.evaluate(() => window.aoBench.end())), times }
}

/** Runs in the page. */
function watchPage() {
  let tasks = []
  let frames = []
  let counting = false
  new PerformanceObserver((list) => {
    if (counting) tasks.push(...list.getEntries().map(({ duration }) => duration))
  }).observe({ entryTypes: ['longtask'] })
  const tick = (at) => {
    if (!counting) return
    frames.push(at)
    requestAnimationFrame(tick)
  }
  window.aoBench = {
    /** When the frame with this text was handed to the screen. */
    until: (text) =>
      new Promise((resolve) => {
        const look = () => {
          const found = [...document.querySelectorAll('[data-open]')].some((link) => link.textContent === text)
          if (!found) return
          observer.disconnect()
          requestAnimationFrame(() => resolve(Date.now()))
        }
        const observer = new MutationObserver(look)
        observer.observe(document, { subtree: true, childList: true, characterData: true })
        look()
      }),
    begin() {
      tasks = []
      frames = []
      counting = true
      requestAnimationFrame(tick)
    },
    end() {
      counting = false
      const gaps = frames.slice(1).map((at, index) => at - frames[index])
      return {
        long: tasks.length,
        longest: Math.round(Math.max(0, ...tasks)),
        blocked: Math.round(tasks.reduce((sum, ms) => sum + ms - 50, 0)),
        frames: frames.length,
        late: gaps.filter((gap) => gap > 100).length,
      }
    },
  }
}
