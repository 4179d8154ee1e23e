// What is on the screen without scrolling, measured at the sizes that people have.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, sees } from './browser-world.ts'

let world: BrowserWorld
const WAITING = 10

beforeAll(async () => {
  world = await createBrowserWorld({ runtime: 'process' })
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

it.each(SIZES)('fits at $width × $height', async (size) => {
  const page = await world.open(size)
  const picture = (name: string) =>
    process.env.AO_LAYOUT_PICTURES &&
    page.screenshot({ path: `${process.env.AO_LAYOUT_PICTURES}/${name}-${size.width}.png` })
  for (const path of ['/', '/issues', '/observability', '/pulls', '/queue', '/settings', '/sessions/sam-1']) {
    await world.goto(path, page)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await sees(page, /colour|Observability|Nobody|pull request/i)
    await picture(path.replaceAll('/', '_'))
    expect([path, await documentScrolls(page)]).toEqual([path, false])
  }
  await world.goto('/', page)
  await page.locator('[data-card]').first().waitFor()
  expect(await lostMenus(page)).toEqual([])
  if (size.width >= 1024) expect(await page.locator('#board-panel').evaluate(overflow)).toEqual([0, 0])
  await world.goto('/queue', page)
  await expect.poll(() => page.locator('[data-column="queue"] [data-card]').count()).toBe(WAITING)
  if (size.width >= 1024) expect(await wholeCards(page)).toBeGreaterThanOrEqual(8)
  await world.goto('/sessions/sam-1?tab=live', page)
  await page.locator('.xterm').first().waitFor()
  await picture('terminal')
  // What it needs and the bar that nobody is notified are there, too.
  const { height } = (await page.locator('.xterm').first().locator('xpath=ancestor::section[1]/..').boundingBox())!
  expect(height / size.height).toBeGreaterThan(size.width === 1440 ? 0.55 : size.width === 390 ? 0.25 : 0.45)
  await page.context().close()
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
