// What is on the screen without scrolling, measured at the sizes that people have.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, sees } from './browser-world.ts'

let world: BrowserWorld
const WAITING = 10

beforeAll(async () => {
  world = await createBrowserWorld({ runtime: 'process', notifies: true })
  const issues = Array.from({ length: WAITING }, (_, index) =>
    world.issue(`Choose a colour for part ${index + 1}`, 'ask Which colour shall it have, and why?'),
  )
  world.ao('batch-spawn', ...issues)
})
afterAll(() => endsWell(world))

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
]

/** Loaded once and then resized: loading a page costs more than everything else here. */
async function atEverySize(path: string, check: (page: Page, size: (typeof SIZES)[number]) => Promise<void>) {
  const { page } = world
  await world.goto(path)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await check(page, size)
    if (!process.env.AO_LAYOUT_PICTURES) continue
    const name = `${path.replaceAll(/\W/g, '_')}-${size.width}.png`
    await page.screenshot({ path: `${process.env.AO_LAYOUT_PICTURES}/${name}` })
  }
}

it.each(['/', '/issues', '/observability', '/pulls', '/queue', '/settings', '/sessions/sam-1'])(
  '%s fits at every size',
  async (path) => {
    await atEverySize(path, async (page, size) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await sees(page, /colour|Observability|Nobody|pull request/i)
      await expect.poll(() => documentScrolls(page), { message: `scrolls at ${size.width}` }).toBe(false)
    })
  },
)

it('the board shows every card with its menu', async () => {
  await atEverySize('/', async (page, size) => {
    await page.locator('[data-card]').first().waitFor()
    await expect.poll(() => lostMenus(page), { message: `at ${size.width}` }).toEqual([])
    if (size.width < 1024) return
    await expect.poll(() => page.locator('#board-panel').evaluate(overflow)).toEqual([0, 0])
  })
})

it('the queue shows eight whole rows on a screen for work', async () => {
  await atEverySize('/queue', async (page, size) => {
    await expect.poll(() => page.locator('[data-column="queue"] [data-card]').count()).toBe(WAITING)
    if (size.width >= 1024) await expect.poll(() => wholeCards(page)).toBeGreaterThanOrEqual(8)
  })
})

it('the terminal has most of the page', async () => {
  await atEverySize('/sessions/sam-1?tab=live', async (page, size) => {
    const terminal = page.locator('.xterm').first()
    await terminal.waitFor()
    // What it needs and the bar that nobody is notified are there, too.
    const share = async () =>
      (await terminal.locator('xpath=ancestor::section[1]/..').boundingBox())!.height / size.height
    await expect.poll(share).toBeGreaterThan(size.width === 1440 ? 0.55 : size.width === 390 ? 0.25 : 0.45)
  })
})

function documentScrolls(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { scrollHeight, scrollWidth, clientHeight, clientWidth } = document.documentElement
    return scrollHeight > clientHeight || scrollWidth > clientWidth
  })
}

function overflow({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element): [number, number] {
  return [scrollWidth - clientWidth, scrollHeight - clientHeight]
}

/** Cards whose menu is not wholly inside them. */
function lostMenus(page: Page): Promise<string[]> {
  return page.locator('[data-card]').evaluateAll((cards) =>
    cards.flatMap((card) => {
      const menu = card.querySelector('[aria-label^="More for"]')?.getBoundingClientRect()
      const own = card.getBoundingClientRect()
      if (own.width === 0 || (menu && menu.width > 0 && menu.right <= own.right && menu.left >= own.left)) return []
      return [card.getAttribute('data-card') ?? '']
    }),
  )
}

function wholeCards(page: Page): Promise<number> {
  return page.locator('[data-column="queue"] [data-card]').evaluateAll(
    (cards) =>
      cards.filter((card) => {
        const { top, bottom } = card.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight
      }).length,
  )
}
