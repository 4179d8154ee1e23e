// Ctrl+K from any page: a few letters and Enter lead to a session, ended ones too.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld()
  world.ao('spawn', world.issue('Sort the imports', 'finish Sorted.'))
  world.ao('spawn', world.issue('Remove the old button', 'finish Removed.'))
  world.ao('session', 'kill', 'sam-2', '--purge')
})
afterAll(() => endsWell(world))

it('finds sessions and actions by a few letters', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/settings')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Go to' })
  await field.fill('old butt')
  await page.getByRole('option', { name: /Remove the old button/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Remove the old button' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/sessions/sam-2')
  await page.keyboard.press('Control+k')
  await field.fill('spawn')
  await page.getByRole('option', { name: /Spawn a session/ }).waitFor()
  await page.keyboard.press('Enter')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /start|spawn/i })
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await sees(page, 'Sort the imports')
})
