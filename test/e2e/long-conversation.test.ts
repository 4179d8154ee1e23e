// A conversation of 50,000 events on the page: it opens, scrolls, is searched and takes keys as a short one does.
import { loadavg } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { THOROUGH } from '../support/cover.ts'
import { waitFor } from '../support/wait-for.ts'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture } from './browser-world.ts'

const ROUNDS = 10_000

describe.runIf(THOROUGH)('a conversation of 50,000 events', () => {
  let world: BrowserWorld
  beforeAll(async () => {
    world = await createBrowserWorld({
      runtime: 'acp',
      acpAgent: 'acp-agent',
      reactions: ['agent-idle: { auto: false }'],
    })
    world.ao('spawn', '--prompt', 'say The only word.')
    world.ao('spawn', '--prompt', `say A needle.\ntalk ${ROUNDS}\nsay The very end.`)
    // The agent has said all of it before anybody opens its page.
    await waitFor('the end', () => world.ao('session', 'transcript', 'sam-2').includes('The very end.'), 120_000)
  }, 180_000)
  afterAll(() => endsWell(world))

  it('opens, takes a key within two frames, and scrolls without a long pause', async () => {
    keepPicture(world)
    const { page } = world
    await page.addInitScript(() => {
      const tasks: number[] = []
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
        buffered: true,
      })
      Object.assign(window, { tasks })
    })
    const open = async (path: string, text: string) => {
      const began = Date.now()
      await world.goto(path)
      await page.getByText(text).first().waitFor({ timeout: 120_000 })
      return Date.now() - began
    }
    const short = await open('/sessions/sam-1', 'The only word.')
    const opened = await open('/sessions/sam-2', 'The very end.')
    const again = await open('/sessions/sam-2', 'The very end.')
    // What arrived while it opened is drawn.
    await page.waitForTimeout(1_000)
    const tasksOf = () => page.evaluate(() => (window as unknown as { tasks: number[] }).tasks.splice(0))
    const opening = await tasksOf()

    const field = page.getByRole('textbox', { name: /Message to/ })
    await field.focus()
    await page.evaluate(() => {
      const keys: number[] = []
      document.addEventListener(
        'keydown',
        () => {
          const at = performance.now()
          requestAnimationFrame(() => setTimeout(() => keys.push(performance.now() - at)))
        },
        true,
      )
      Object.assign(window, { keys })
    })
    await page.keyboard.type('How long does a key take here? Not long, please.', { delay: 40 })
    const keys = await page.evaluate(() => (window as unknown as { keys: number[] }).keys.sort((a, b) => a - b))
    await tasksOf()
    await page.getByRole('log', { name: 'Transcript' }).hover()
    const browser = page.context().browser()!
    await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] })
    for (let n = 0; n < 60; n += 1) await page.mouse.wheel(0, -1_500)
    await page.waitForTimeout(500)
    const ofItsOwn = longestCpu(await browser.stopTracing())
    const scrolling = await tasksOf()
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
    const longest = (tasks: number[]) => Math.round(Math.max(0, ...tasks))
    const median = Math.round(keys[Math.floor(keys.length / 2)]!)
    console.log(
      `50,000 events: open after ${opened} ms, again after ${again} ms (${(again / short).toFixed(2)} × a conversation of one word), load ${loadavg()[0]!.toFixed(1)}; longest task ${longest(opening)} ms; key p50 ${median} ms, worst ${Math.round(keys.at(-1)!)} ms; scrolling, longest task ${longest(scrolling)} ms, ${ofItsOwn} ms of CPU; ${nodes} elements`,
    )
    expect(nodes).toBeLessThan(5_000)
    // CPU, so that a busy machine changes little.
    expect(ofItsOwn).toBeLessThanOrEqual(100)
    // Its first words are on the server, and come when somebody looks for them.
    await page.getByLabel('Search the conversation').fill('needle')
    // In the prompt and in the answer.
    await page.getByText('2 of 2').waitFor()
    await page.getByText('A needle.Round 0').first().waitFor()
    // The word itself is marked, not only its row.
    await page.waitForFunction(() => (CSS.highlights.get('found')?.size ?? 0) > 0)
    // Whoever comes from a search over all sessions is led to that very message.
    await world.goto('/sessions/sam-2?tab=live&find=needle&at=4')
    await page.getByText('A needle.Round 0').first().waitFor()
    expect(median).toBeLessThanOrEqual(32)
  }, 240_000)
})

/** Of the longest task of the page, in milliseconds, as the browser's trace counts it. */
function longestCpu(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: Array<Record<string, unknown>> }
  const main = traceEvents.find(
    ({ name, args }) => name === 'thread_name' && (args as { name?: string } | undefined)?.name === 'CrRendererMain',
  )
  const tasks = traceEvents.filter(({ pid, tid, tdur }) => pid === main?.pid && tid === main?.tid && tdur !== undefined)
  return Math.round(Math.max(0, ...tasks.map(({ tdur }) => Number(tdur) / 1_000)))
}
