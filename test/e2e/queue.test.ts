// What waits for the person, dealt with by keyboard alone: the queue ranks, and "next" stays in it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees, TIMEOUT_MS } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  // A nudge would turn the errors into finished turns.
  world = await createBrowserWorld({ reactions: ['agent-stuck: { auto: false }'] })
  for (const [title, script] of [
    ['Signed out one', 'fail API Error: 401 OAuth token has expired. Please run /login'],
    ['Signed out two', 'fail API Error: 401 OAuth token has expired. Please run /login'],
    ['Which colour', 'ask Which colour?\nfinish It is coloured now.'],
  ] as const)
    world.ao('spawn', world.issue(title, script))
})
afterAll(() => endsWell(world))

it('shows the question first, folds equal errors, and goes on to the next after an answer', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/settings')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.keyboard.press('e')
  await sees(page, '2 agents: signed out')
  await sees(page, 'Which colour?')
  const cards = page.locator('[data-column="queue"] [data-card]:not([data-gone])')
  const open = page.locator('[data-column="open"] [data-card]')
  await expect
    .poll(() => cards.allInnerTexts(), { timeout: TIMEOUT_MS })
    .toEqual([expect.stringContaining('Which colour?'), expect.stringContaining('2 agents: signed out')])
  // The most urgent one is open beside the list.
  await open.getByText('Which colour?').waitFor()
  // The number beside its name counts what is in it: equal errors once.
  await sees(page, '2 to deal with, the most urgent first')
  await page.getByRole('link', { name: /^Queue\s*2\s*to deal with$/ }).waitFor()
  await cards.nth(1).click()
  await open.getByText('API Error: 401 OAuth token has expired. Please run /login').waitFor()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  // By keyboard: the first one is answered, and its turn ends: finished, which is less urgent than the error.
  await page.keyboard.press('e')
  await cards.filter({ hasText: 'Which colour?' }).locator('[data-open]').focus()
  await page.keyboard.press('s')
  await page.getByRole('textbox', { name: 'Answer sam-3' }).fill('blue')
  await page.keyboard.press('Control+Enter')
  await sees(page, 'It is coloured now.')
  await cards.filter({ hasText: 'It is coloured now.' }).click()
  const done = page
    .locator('[data-column="open"] [data-card="sam-3"]:not([data-gone])')
    .getByRole('button', { name: 'Mark done' })
  await done.click()
  await sees(page, 'Marked done: sam-3')
  expect(world.json<{ items: Array<{ kind: string }> }>('next').items.map(({ kind }) => kind)).toEqual(['error'])
})

it('is a table too, sorted by a column, kept as a view, with one act on several', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/?q=signed')
  await page.getByRole('radio', { name: 'Table' }).check({ force: true })
  const rows = page.locator('[data-row]')
  await rows.nth(1).waitFor()
  await page.getByRole('button', { name: 'Session', exact: true }).click()
  await page.getByRole('button', { name: 'Session', exact: true }).click()
  // The address changes with the order; the rows hold still while the pointer is on them.
  await page.waitForURL((url) => url.search === '?q=signed&view=table&sort=title-down')
  await page.mouse.move(0, 0)
  await page.waitForFunction(() => document.querySelector('[data-row]')?.getAttribute('data-row') === 'sam-2')
  await page.getByRole('button', { name: 'Saved views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view…' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Signed out')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await world.goto('/')
  await page.getByRole('button', { name: 'Saved views' }).click()
  await page.getByRole('menuitem', { name: 'Signed out' }).click()
  await page.getByRole('checkbox', { name: 'Select all shown sessions' }).check()
  await page.getByRole('button', { name: 'Kill', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Signed out one').waitFor()
  await dialog.getByRole('button', { name: 'Kill', exact: true }).click()
  await sees(page, 'Kill: done for 2')
  const statuses = () => {
    const { sessions } = world.json<{ sessions: Array<{ id: string; status: string }> }>('session', 'ls')
    return sessions.filter(({ id }) => id !== 'sam-3').map(({ status }) => status)
  }
  expect(statuses()).toEqual(['killed', 'killed'])
  // As after a single one.
  await page.getByRole('button', { name: 'Undo' }).click()
  await sees(page, 'Restore: done for 2')
  expect(statuses()).not.toContain('killed')
})

it('reaches somebody who looks elsewhere by a notification of the browser, once', async () => {
  const page = await world.open({ width: 800, height: 600 })
  await page.context().grantPermissions(['notifications'])
  await page.addInitScript(() => {
    const shown: object[] = []
    function Recorded(this: object, title: string) {
      shown.push(Object.assign(this, { title, close: () => undefined }))
    }
    Object.assign(Recorded, { permission: 'granted', requestPermission: async () => 'granted' })
    Object.assign(window, { Notification: Recorded, shown })
    document.hasFocus = () => false
  })
  await world.goto('/settings', page)
  await page.getByRole('button', { name: 'Notify me here' }).click()
  await page.getByRole('button', { name: 'Stop notifying me here' }).waitFor()
  world.ao('spawn', world.issue('Which size', 'ask Which size?'))
  const WANTED = 'sam-4 has a question'
  // Others may need somebody meanwhile, too.
  const shown = () =>
    page.evaluate(
      (wanted) =>
        (window as unknown as { shown: Array<{ title: string }> }).shown.filter((one) => one.title === wanted).length,
      WANTED,
    )
  await expect.poll(shown, { timeout: TIMEOUT_MS }).toBe(1)
  await page.evaluate(
    (wanted) =>
      (window as unknown as { shown: Array<{ title: string; onclick: () => void }> }).shown
        .find((one) => one.title === wanted)!
        .onclick(),
    WANTED,
  )
  await page.getByRole('heading', { name: 'Which size' }).waitFor()
  expect(await shown()).toBe(1)
})
