// A person's day with the page, by mouse, by keyboard and on a phone. Each step says how many clicks, keys or taps it takes:
// more than that is a step backwards. With AO_THOROUGH every page on the way is scanned by axe.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { THOROUGH } from '../support/cover.ts'
import { seriousFindings } from './axe.ts'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, listens, sees } from './browser-world.ts'

let world: BrowserWorld
const issues = { mouse: '', keyboard: '', phone: '', pull: '', keys: '', later: '' }
/** Sessions in all, where there is time for them. */
const MANY = 40
/** Every step of the many is scanned by axe, which takes seconds with as many cards. */
const SCANNED_MS = 240_000
const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

beforeAll(async () => {
  world = await createBrowserWorld({
    reactions: ['approved-and-green: { auto: false }', 'agent-idle: { auto: false }'],
  })
  issues.mouse = world.issue('Paint the door', 'ask Which colour has the door?\nfinish It is painted.')
  issues.keyboard = world.issue('Name the cat', 'ask What is the name of the cat?\nfinish It is named.')
  issues.phone = world.issue('Set the table', 'ask How many guests are there?\nfinish It is set.')
  issues.pull = world.issue(
    'Add a sum',
    'write src/sum.js export const sum = (a, b) => a + b\ncommit Add sum\npr Add sum\nfinish Done.',
  )
  issues.keys = world.issue(
    'Add a product',
    'write src/product.js export const product = (a, b) => a * b\ncommit Multiply numbers\npr Multiply numbers\nfinish Done.',
  )
  issues.later = world.issue('Water the plants', 'ask Which plants?')
  const first = [issues.mouse, issues.keyboard, issues.phone, issues.pull]
  const others = Array.from({ length: THOROUGH ? MANY - first.length - 1 : 0 }, (_, index) =>
    world.issue(`Paint wall ${index + 1}`, index % 2 === 0 ? 'think 600' : 'ask Which colour has the wall?'),
  )
  world.ao('batch-spawn', ...first, ...(THOROUGH ? [issues.keys] : []), ...others)
  const { page } = world
  await sees(page, 'Which colour has the door?')
  await page
    .getByRole('region', { name: /^In review/ })
    .getByText('Add a sum')
    .first()
    .waitFor()
}, 400_000)
afterAll(() => endsWell(world), 240_000)

/** A hand that counts what it does. */
function createHand(page: Page) {
  let count = 0
  const steps: Record<string, number> = {}
  return {
    steps,
    async click(locator: Locator): Promise<void> {
      count++
      await locator.click()
    },
    async press(...keys: string[]): Promise<void> {
      for (const key of keys) {
        count++
        await page.keyboard.press(key)
      }
    },
    /** The step is over: what it took is written down, and the page that it led to is examined. */
    async did(step: string, isScanned = THOROUGH): Promise<void> {
      steps[step] = count
      count = 0
      if (isScanned) expect([step, await seriousFindings(page, null)]).toEqual([step, []])
    },
  }
}

/** Tab until the focus is on it, as somebody without a mouse does; Enter or Space then. */
async function tabTo(page: Page, locator: Locator): Promise<void> {
  await locator.first().waitFor()
  const isThere = () => locator.evaluateAll((all) => all.some((one) => one === document.activeElement))
  for (let presses = 0; presses < 60 && !(await isThere()); presses++) await page.keyboard.press('Tab')
  expect(await isThere()).toBe(true)
}

const cardOf = (page: Page, title: string) =>
  page.locator('[data-card]:not([data-gone])').filter({ hasText: title }).first()

// From an issue to its merge by mouse is in every run.
it.runIf(THOROUGH)('by mouse', { timeout: SCANNED_MS }, async () => {
  const page = await world.open(DESK)
  keepPicture({ ...world, page })
  const { click, did, steps } = createHand(page)
  const button = (name: string | RegExp, within: Page | Locator = page) =>
    within.getByRole('button', { name, exact: typeof name === 'string' })
  const section = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: false }).first()
  await world.goto('/', page)

  await click(button('Answer', cardOf(page, 'Which colour has the door?')))
  await page.getByRole('textbox', { name: /^Answer sam-/ }).fill('green')
  await click(button('Send'))
  await sees(page, 'It is painted.')
  await did('answer a question')

  await click(cardOf(page, 'Add a sum').getByRole('link', { name: 'Review' }))
  await sees(page, 'export const sum')
  await click(button('Review'))
  await click(page.getByRole('radio', { name: /Approve/ }))
  await click(button('Submit review'))
  await did('review and approve')

  await click(section('Board'))
  await click(button('Merge', cardOf(page, 'Add a sum')))
  await page.getByRole('region', { name: /^Done/ }).getByText('Add a sum').first().waitFor()
  await did('merge')

  await click(section('Issues'))
  await click(button(`Start a session on #${issues.later}`))
  await click(page.getByRole('dialog').getByRole('button', { name: /start/i }))
  await page.getByRole('status', { name: 'Started sessions' }).getByRole('link').first().waitFor()
  await did('start on an issue')

  await click(section('Board'))
  await did('back to the board')
  const painted = cardOf(page, 'Paint the door')
  await click(button(/^More for/, painted))
  await click(page.getByRole('menuitem', { name: 'Kill…' }))
  await click(button('Yes, kill it'))
  await sees(page, /^Killed sam-/)
  // Undo is there for five seconds, and a scan of 40 cards takes as long.
  await did('kill', false)
  await click(button('Undo'))
  await sees(page, /^Restored sam-/)
  await did('and take it back')

  await click(section('Observability'))
  await sees(page, 'The fleet over time')
  await did('see what it cost')

  await click(section('Settings'))
  await click(button('Edit sample'))
  await page.getByLabel('One session may cost').fill('7 USD')
  await click(button('Review the change'))
  await click(button('Save'))
  await sees(page, 'It is in force in a moment.')
  await did('change a setting')
  // A merge is refused while main is checked out with changes, this one included, and says so.
  world.git('commit', '--quiet', '--all', '--message', 'Let a session cost 7 USD')
  await page.context().close()

  expect(steps).toEqual({
    'answer a question': 2,
    'review and approve': 4,
    merge: 2,
    'start on an issue': 3,
    'back to the board': 1,
    kill: 3,
    'and take it back': 1,
    'see what it cost': 1,
    'change a setting': 4,
  })
})

it('by keyboard', async () => {
  const page = await world.open(DESK)
  keepPicture({ ...world, page })
  const { press, did, steps } = createHand(page)
  await world.goto('/settings', page)
  await page.getByRole('heading', { name: 'Settings' }).waitFor()

  await press('g', 'b')
  await page.getByRole('region', { name: /^Needs you/ }).waitFor()
  await press('/')
  await page.keyboard.type('cat')
  await page.getByText('Set the table').first().waitFor({ state: 'hidden' })
  await listens(cardOf(page, 'Name the cat'))
  // Not Escape: that empties a search field, and the first card would be anybody's.
  await press('Enter', 's')
  await page.getByRole('textbox', { name: /^Answer sam-/ }).waitFor()
  await page.keyboard.type('Tom')
  await press('Control+Enter')
  await sees(page, 'It is named.')
  await did('find a question and answer it')

  await press('n')
  await page.getByRole('dialog', { name: 'Start a session' }).waitFor()
  await did('begin to start a session')
  await press('Escape')

  await press('Control+k')
  await page.keyboard.type('observ')
  await page
    .getByRole('option', { name: /Observability/ })
    .first()
    .waitFor()
  await press('Enter')
  await sees(page, 'The fleet over time')
  await did('leave the dialog, and go anywhere by name')
  await page.context().close()

  expect(steps).toEqual({
    'find a question and answer it': 6,
    'begin to start a session': 1,
    'leave the dialog, and go anywhere by name': 3,
  })
})

it('says so when a key is not heard, and does nothing later', async () => {
  const page = await world.open(DESK)
  keepPicture({ ...world, page })
  await world.goto('/', page)
  const card = cardOf(page, 'Set the table')
  await card.waitFor()
  await page.keyboard.press('m')
  await sees(page, 'No session is chosen: j or / chooses one')
  await card.locator('[data-open]').focus()
  await page.keyboard.press('r')
  await sees(page, /^sam-\d+ cannot do that now/)

  await card.evaluate((one) => one.setAttribute('data-deaf', ''))
  await page.keyboard.press('s')
  await sees(page, /^That has just moved/)
  await page.getByText(/^That has just moved/).waitFor({ state: 'hidden' })
  const { x, y, width, height } = (await card.boundingBox())!
  await page.mouse.click(x + width / 2, y + height / 2)
  await sees(page, /^That has just moved/)
  expect(await page.getByRole('textbox', { name: /^Answer/ }).count()).toBe(0)

  const held = Promise.withResolvers<void>()
  await page.route(/observability-page/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.getByText('Loading the page').first().waitFor()
  await page.keyboard.press('m')
  await sees(page, /^The page is still loading/)
  held.resolve()
  await sees(page, 'The fleet over time')
  await page.context().close()
})

it.runIf(THOROUGH)(
  'by keyboard among 40 sessions, from a review to its merge, and back from a kill',
  { timeout: SCANNED_MS },
  async () => {
    const page = await world.open(DESK)
    keepPicture({ ...world, page })
    const { press, did, steps } = createHand(page)
    await world.goto('/', page)
    await cardOf(page, 'Add a product').waitFor()

    await press('Control+k')
    await page.keyboard.type('Multiply')
    await page
      .getByRole('option', { name: /Multiply numbers/ })
      .first()
      .waitFor()
    await press('Enter')
    await tabTo(page, page.getByRole('link', { name: 'Review the changes' }))
    await press('Enter')
    await sees(page, 'export const product')
    await tabTo(page, page.getByRole('button', { name: 'Review', exact: true }))
    await press('Enter')
    await tabTo(page, page.getByRole('radio'))
    await page.keyboard.press('Space')
    const approve = page.getByRole('radio', { name: /Approve/ })
    for (let tries = 0; tries < 4 && !(await approve.isChecked()); tries++) await page.keyboard.press('ArrowDown')
    await tabTo(page, page.getByRole('button', { name: 'Submit review' }))
    await press('Enter')
    await page.getByRole('button', { name: 'Submit review' }).waitFor({ state: 'hidden' })
    await did('review and approve')

    await press('g', 'b')
    // Keys before it is there are those of the page before.
    await page.getByRole('region', { name: /^Ready to merge/ }).waitFor()
    await press('/')
    await page.keyboard.type('product')
    await page.getByText('Paint wall').first().waitFor({ state: 'hidden' })
    // It moves there, and hears no key before it rests.
    await page
      .getByRole('region', { name: /^Ready to merge/ })
      .getByText('Add a product')
      .first()
      .waitFor()
    await listens(cardOf(page, 'Add a product'))
    await press('Enter', 'm')
    await page.getByRole('region', { name: /^Done/ }).getByText('Add a product').first().waitFor()
    await did('merge')

    await press('/', 'Control+a')
    await page.keyboard.type('cat')
    await page.getByText('Add a product').first().waitFor({ state: 'hidden' })
    await listens(cardOf(page, 'Name the cat'))
    // Its question was answered by the first keys of the day.
    await press('Enter', 'x', 'Enter')
    await sees(page, /^Killed sam-/)
    await did('kill')
    const ended = page.getByRole('region', { name: /^Done/ }).locator('[data-card]').filter({ hasText: 'Name the cat' })
    await listens(ended)
    await press('/', 'Enter', 'r')
    await sees(page, /^Restored sam-/)
    await did('and take it back')
    await page.context().close()

    expect(steps).toEqual({
      'review and approve': 5,
      merge: 5,
      kill: 5,
      'and take it back': 3,
    })
  },
)

it('on a phone', async () => {
  const page = await world.open(PHONE)
  keepPicture({ ...world, page })
  const { click, did, steps } = createHand(page)
  const bar = page.getByRole('navigation', { name: 'Main' })
  const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true })
  await world.goto('/', page)

  await click(bar.getByRole('link', { name: /Queue/ }))
  await click(button('Answer', cardOf(page, 'How many guests are there?')))
  await page.getByRole('textbox', { name: /^Answer sam-/ }).fill('four')
  await click(button('Send'))
  await sees(page, 'It is set.')
  await did('answer a question from the queue')

  await click(button('Mark done', cardOf(page, 'It is set.')))
  await sees(page, /^Marked done: sam-/)
  await did('mark it done')

  await click(button('More', bar))
  await click(page.getByRole('dialog').getByRole('link', { name: 'Settings' }))
  await click(button('Edit sample'))
  await page.getByLabel('Branch that new work starts from').fill('develop')
  await click(button('Review the change'))
  await sees(page, '+     defaultBranch: develop')
  await did('see what a setting would change')
  const isNarrow = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)
  await page.context().close()

  expect(isNarrow).toBe(true)
  expect(steps).toEqual({
    'answer a question from the queue': 3,
    'mark it done': 1,
    'see what a setting would change': 4,
  })
})
