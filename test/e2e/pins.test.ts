// Pins, folders and saved searches: one file, and what the page writes the terminal reads, and the other way round.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type BrowserWorld,
  createBrowserWorld,
  endsWell,
  keepPicture,
  listens,
  sees,
  TIMEOUT_MS,
} from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld({
    reactions: ['approved-and-green: { auto: false }', 'agent-idle: { auto: false }'],
  })
  const think = ['one', 'two', 'three'].map((name) => world.issue(`Paint wall ${name}`, 'think 600'))
  const pull = (name: string) =>
    world.issue(
      `Add ${name}`,
      `write src/${name}.js export const ${name} = 1\ncommit Add ${name}\npr Add ${name}\nfinish Done.`,
    )
  world.ao('batch-spawn', ...think, pull('sum'), pull('product'))
  const { page } = world
  await page.getByRole('region', { name: 'Working, 3' }).waitFor()
  await page.getByRole('region', { name: 'In review, 2' }).waitFor()
}, 120_000)
afterAll(() => endsWell(world))

const cardsIn = (column: string) =>
  world.page.locator(`[data-column="${column}"] [data-card]:not([data-gone])`).evaluateAll((all) => {
    return all.map((one) => (one as HTMLElement).dataset.card)
  })
const pins = () =>
  world
    .json<{ sessions: Array<{ id: string; pinned?: true; folder?: string | null }> }>('session', 'ls')
    .sessions.flatMap(({ id, pinned, folder }) => (pinned ? `${id} ${folder ?? ''}`.trim() : []))

it('a session is pinned on the page and in the terminal, first in its column and in the table', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/')
  const card = (id: string) => page.locator(`[data-card="${id}"]:not([data-gone])`).first()
  await listens(card('sam-1'))
  // The last to begin is first: they were started together, so that any of them may be.
  const before = await cardsIn('working')
  expect(before.toSorted()).toEqual(['sam-1', 'sam-2', 'sam-3'])
  await card('sam-1').locator('[data-open]').focus()
  await page.keyboard.press('p')
  await sees(page, 'sam-1 is pinned')
  // Nothing moves under a hand.
  expect(await cardsIn('working')).toEqual(before)
  await world.goto('/')
  await expect
    .poll(() => cardsIn('working'), { timeout: TIMEOUT_MS })
    .toEqual(['sam-1', ...before.filter((id) => id !== 'sam-1')])
  expect(pins()).toEqual(['sam-1'])
  // `g p` goes to the pull requests, and pins nothing.
  await listens(card('sam-2'))
  await card('sam-2').locator('[data-open]').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('heading', { name: 'Pull requests', level: 1 }).waitFor()
  expect(pins()).toEqual(['sam-1'])
  world.ao('session', 'pin', 'sam-2', '--folder', 'release')
  await world.goto('/?view=table')
  await expect
    .poll(() => page.locator('[data-row]').evaluateAll((all) => all.map((one) => one.getAttribute('data-row'))), {
      timeout: TIMEOUT_MS,
    })
    .toEqual(['sam-1', 'sam-2', expect.anything(), expect.anything(), expect.anything()])
  await page.getByRole('combobox', { name: 'Pinned' }).selectOption('Pinned in release')
  await expect.poll(() => page.locator('[data-row]').count(), { timeout: TIMEOUT_MS }).toBe(1)
  expect(new URL(page.url()).searchParams.get('pinned')).toBe('release')
  // A pinned session that is archived is no longer on the board, and still at hand.
  world.ao('session', 'kill', 'sam-2', '--purge')
  await sees(page, 'Also pinned, and ended:')
  await page.getByRole('main').getByRole('link', { name: 'sam-2' }).click()
  await page.getByRole('heading', { name: 'Paint wall two' }).waitFor()
  await page.getByRole('button', { name: 'More for sam-2' }).click()
  await page.getByRole('menuitem', { name: 'Unpin' }).click()
  await sees(page, 'sam-2 is not pinned')
  expect(pins()).toEqual(['sam-1'])
})

it('is put into a folder from its pull request, which then comes first in its list', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/pulls')
  const listed = () => page.getByRole('list', { name: 'Needs review' }).getByRole('listitem').allTextContents()
  await expect.poll(async () => (await listed()).length, { timeout: TIMEOUT_MS }).toBe(2)
  const last = /sam-\d/.exec((await listed())[1]!)![0]
  await page.getByRole('link', { name: last === 'sam-4' ? 'Add sum' : 'Add product' }).click()
  await page.getByRole('button', { name: `Pin ${last}` }).click()
  await page.getByRole('menuitem', { name: 'Pin in a folder…' }).click()
  await page.getByLabel('Folder').fill('not a name')
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  await sees(page, 'The name of a folder has 1 to 60 letters, digits, _ and -')
  await page.getByLabel('Folder').fill('release')
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  await sees(page, `${last} is pinned in release`)
  expect(pins()).toEqual(['sam-1', `${last} release`])
  await world.goto('/pulls')
  await expect.poll(async () => (await listed())[0], { timeout: TIMEOUT_MS }).toContain(last)
})

it('a search is saved in the palette, used by its name, and forgotten', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/sessions/sam-1')
  await page.getByRole('heading', { name: 'Paint wall one' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Go to' })
  const options = page.getByRole('listbox', { name: 'Results' }).getByRole('option')
  // What is pinned is first.
  await expect
    .poll(async () => (await options.allTextContents()).slice(0, 2), { timeout: TIMEOUT_MS })
    .toEqual([expect.stringMatching(/^sam-1 .*Pinned$/), expect.stringMatching(/Pinned in release$/)])
  await field.fill('thinks nowhere')
  await page.getByRole('button', { name: 'Save this search…' }).click()
  await page.getByLabel('Name').fill('two words')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await sees(page, 'The name of a search has 1 to 60 letters, digits, _ and -')
  await page.getByLabel('Name').fill('walls')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await sees(page, 'Saved as @walls')
  expect(world.json('search', '--saved')).toEqual({ saved: [{ name: 'walls', query: 'thinks nowhere' }] })
  world.ao('search', '--save', 'walls', 'wall', 'three')
  await page.keyboard.press('Control+k')
  await field.fill('@wal')
  await page.getByRole('option', { name: /^@walls/ }).waitFor()
  await page.keyboard.press('Enter')
  expect(await field.inputValue()).toBe('@walls ')
  await page
    .getByRole('option', { name: /^sam-3 / })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Forget @walls' }).click()
  await sees(page, 'Forgot @walls')
  expect(world.json('search', '--saved')).toEqual({ saved: [] })
  // The session of this page is unpinned by name.
  await field.fill('unpin')
  await page.getByRole('option', { name: /^Unpin sam-1/ }).waitFor()
  await page.keyboard.press('Enter')
  await sees(page, 'sam-1 is not pinned')
})

it('a hostile search is text with what cannot be seen spelled out, and a damaged file is named and left as it is', async () => {
  keepPicture(world)
  const { page } = world
  const data = join(world.home, '.agent-orchestrator')
  const file = join(data, readdirSync(data).find((name) => name.endsWith('.saved.json'))!)
  const query = '\u202egnp.exe\u202c<img src=x onerror=alert(1)>'
  writeFileSync(file, JSON.stringify({ pins: [], queries: { evil: query } }))
  await world.goto('/')
  await page.getByRole('heading', { name: 'Board', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  const option = page.getByRole('option', { name: /^@evil/ })
  await option.waitFor()
  expect(await option.textContent()).toBe('@evil ⟨U+202E⟩gnp.exe⟨U+202C⟩<img src=x onerror=alert(1)>Saved search')
  expect(await page.locator('img').count()).toBe(0)
  await page.keyboard.press('Escape')
  const damaged = '{"pins":[{"session":"../../etc","folder":null}]}'
  writeFileSync(file, damaged)
  await sees(page, /Pins and saved searches are ignored/)
  await world.goto('/sessions/sam-1')
  await page.getByRole('button', { name: 'More for sam-1' }).click()
  await page.getByRole('menuitem', { name: 'Pin', exact: true }).click()
  await sees(page, /cannot be read, so it is not changed/)
  writeFileSync(file, '{}')
})
