// What waits for the person, dealt with by keyboard alone: the queue ranks, and "next" stays in it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld()
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
  const cards = page.locator('[data-card]:not([data-gone])')
  expect(await cards.allInnerTexts()).toEqual([
    expect.stringContaining('Which colour?'),
    expect.stringContaining('API Error: 401 OAuth token has expired. Please run /login'),
  ])
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  // By keyboard: the first one is answered, and its turn ends: finished, which is less urgent than the error.
  await page.keyboard.press('e')
  await cards.first().locator('[data-open]').focus()
  await page.keyboard.press('s')
  await page.getByRole('textbox', { name: 'Answer sam-3' }).fill('blue')
  await page.keyboard.press('Control+Enter')
  await sees(page, 'It is coloured now.')
  const done = page.locator('[data-card="sam-3"]:not([data-gone])').getByRole('button', { name: 'Mark done' })
  await done.click()
  await sees(page, 'Marked done: sam-3')
  expect(world.json<{ items: Array<{ kind: string }> }>('next').items.map(({ kind }) => kind)).toEqual(['error'])
})
