// Ctrl+K from any page: a few letters and Enter lead to a session, ended ones too, also those that the page does not have, and to
// words that were said in one.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  // Words that nobody put into a title: of the prompt, and of what the agent did with it.
  await page.keyboard.press('Control+k')
  await field.fill('finish sorted')
  await page
    .getByRole('option', { name: /^sam-1 .*Sorted/ })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Sort the imports' }).waitFor()
  expect(new URL(page.url()).searchParams.get('find')).toBe('finish sorted')
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

it('finds ended sessions that the page does not have, and the board loads them', async () => {
  keepPicture(world)
  const { page } = world
  const data = join(world.home, '.agent-orchestrator')
  const sessions = join(data, readdirSync(data).find((name) => name.endsWith('-sample'))!, 'sessions')
  const names = Array.from({ length: 120 }, (_, n) => `old-${n + 1}`)
  // Nobody watches while they are written: they were there before the server.
  const { port } = new URL(page.url())
  world.ao('stop')
  for (const [n, name] of names.entries()) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString()
    const times = `statusSince=${at}\ncreatedAt=${at}\nlastActivityAt=${at}\n`
    writeFileSync(
      join(sessions, name),
      `project=sample\nstatus=done\nendedAs=done\nissueTitle=Past ${n + 1}.\n${times}`,
    )
  }
  world.startAgain(port)
  await world.goto('/')
  const done = page.locator('[data-column="done"]')
  await done.getByText('Past 120.').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).fill('old-7 past')
  await page.getByRole('option', { name: /old-7 Past 7\./ }).waitFor()
  await page.keyboard.press('Escape')
  // All that is here, then the next page from the server, which is the last.
  for (const last of ['Past 71.', 'Past 1.']) {
    await done.getByRole('button', { name: /^Show / }).click()
    await done.getByText(last, { exact: true }).waitFor()
  }
  expect(await done.locator('[data-card]').count()).toBe(names.length)
  await page.reload()
  await page.getByLabel('Filter by text').fill('past 33.')
  await done.getByText('Past 33.').waitFor()
  expect(await done.locator('[data-card]').count()).toBe(1)
  for (const name of names) rmSync(join(sessions, name))
  await done.getByText('Past 33.').waitFor({ state: 'detached' })
})
