// The live terminal shows the agent's last output, at every size of the window.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { some } from '../support/cover.ts'
import { seriousFindings } from './axe.ts'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld({ records: true, reactions: ['agent-idle: { auto: false }'] })
  const lines = Array.from({ length: 70 }, (_, n) => `say Line number ${n + 1} of a long story.`)
  world.ao('spawn', world.issue('Tell a long story', [...lines, 'ask Is this the newest line?'].join('\n')))
  world.ao('spawn', world.issue('Say one thing', 'ask Is this the only line?'))
}, 120_000)
afterAll(() => endsWell(world))

const WINDOWS = [
  [1440, 900],
  [1280, 720],
  [1024, 600],
  [390, 844],
] as const

describe('the live terminal', () => {
  it.each(some(WINDOWS, 3))('shows the newest row in a window of %i × %i', async (width, height) => {
    keepPicture(world)
    const page = await world.open({ width, height })
    for (const [session, text] of [
      ['sam-1', 'Is this the newest line?'],
      ['sam-2', 'Is this the only line?'],
    ] as const) {
      await world.goto(`/sessions/${session}`, page)
      const row = page.locator('.xterm-rows > div', { hasText: text }).last()
      await row.waitFor({ state: 'attached' })
      const isSeen = () =>
        row.evaluate((element) => {
          const box = element.getBoundingClientRect()
          const seen = element.closest('section')!.parentElement!.getBoundingClientRect()
          return box.height > 0 && box.top >= seen.top - 1 && box.bottom <= seen.bottom + 1
        })
      await expect.poll(isSeen, { timeout: 5_000 }).toBe(true)
    }
    await page.context().close()
  })

  it('lets a person scroll to older rows, and stays there', async () => {
    keepPicture(world)
    const page = await world.open({ width: 1024, height: 600 })
    await world.goto('/sessions/sam-1', page)
    await page.locator('.xterm-rows', { hasText: 'newest line' }).waitFor()
    const scroller = page.locator('section:has(> .xterm)').locator('..')
    await expect.poll(() => scroller.evaluate((one) => one.scrollTop)).toBeGreaterThan(0)
    await scroller.evaluate((one) => {
      one.dispatchEvent(new WheelEvent('wheel'))
      one.scrollTop = 0
    })
    await page.setViewportSize({ width: 1024, height: 610 })
    await page.waitForTimeout(300)
    expect(await scroller.evaluate((one) => one.scrollTop)).toBe(0)
    await page.context().close()
  })

  it('has its whole scrollback, which can be searched, and stays after the end with its exit, where it can be played', async () => {
    keepPicture(world)
    const page = await world.open({ width: 1280, height: 720 })
    await world.goto('/sessions/sam-1', page)
    await page.locator('.xterm-rows', { hasText: 'newest line' }).waitFor()
    await search('Line number 2 of')
    world.ao('session', 'kill', 'sam-1', '--purge')
    await world.goto('/sessions/sam-1', page)
    await page.getByText('The agent ended').waitFor()
    await page.locator('.xterm-rows', { hasText: 'newest line' }).waitFor()
    await search('Line number 3 of')
    await page.getByRole('button', { name: 'Full screen' }).click()
    await page.getByRole('button', { name: 'Leave full screen' }).click()
    await playsByKeyboard()
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await seriousFindings(page, null)).toEqual([])
    await page.context().close()

    /** From its beginning, by keys alone. */
    async function playsByKeyboard(): Promise<void> {
      const newest = page.locator('.xterm-rows', { hasText: 'newest line' })
      const position = page.getByRole('slider', { name: 'Position' })
      await position.press('Home')
      await newest.waitFor({ state: 'detached' })
      expect(await position.getAttribute('aria-valuetext')).toMatch(/^0:00 of \d+:\d\d$/)
      await page.getByRole('combobox', { name: 'Speed' }).selectOption('16×')
      await position.press('Space')
      await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
      await newest.waitFor()
      await page.getByRole('button', { name: 'Play' }).waitFor()
    }

    async function search(text: string): Promise<void> {
      const search = page.getByRole('button', { name: 'Search in the terminal' })
      await search.click()
      await page.getByRole('textbox', { name: 'Search in the terminal' }).fill(text)
      await page.getByText('1 of 1').waitFor()
      await page.locator('.xterm-rows', { hasText: text }).waitFor()
      await search.click()
    }
  })
})
