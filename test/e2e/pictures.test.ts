// Pictures of every page in light, dark and on a phone, for people to look at: `npm run pictures`. They are written to the
// directory in AO_PICTURES; without it nothing runs.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, sees } from './browser-world.ts'

const DIRECTORY = process.env.AO_PICTURES ?? ''

const MERGED = 'write src/add.js export const add = (a, b) => a + b\ncommit Add add\npr Add add\nfinish Done.'
const SESSIONS: ReadonlyArray<readonly [title: string, script: string]> = [
  [
    'Which colour should the logo have?',
    'ask Which colour should the logo have: the blue of the old one, or a new green?',
  ],
  ['Add a greeting', MERGED.replaceAll('add', 'greet')],
  ['Signed out', 'fail API Error: 401 OAuth token has expired. Please run /login'],
  ['Write the release notes for everything that has changed since the last version', 'finish The notes are written.'],
  [
    'A test that fails',
    "write test/broken.test.js import test from 'node:test'; test('adds', () => { throw new Error('no') })\ncommit A test\npr A test\nfinish Done.",
  ],
]

const PAGES: ReadonlyArray<readonly [name: string, path: string, text: string | RegExp]> = [
  ['board', '/', 'sessions running'],
  ['table', '/?view=table', 'Signed out'],
  ['queue', '/queue', /to deal with/],
  ['session', '/sessions/sam-1', 'sam-1'],
  ['session-ended', '/sessions/sam-6', 'The agent ended'],
  ['session-changes', '/sessions/sam-2?tab=changes', 'greet.js'],
  ['session-timeline', '/sessions/sam-2?tab=timeline', 'sam-2'],
  ['session-messages', '/sessions/sam-1?tab=messages', 'sam-1'],
  ['session-details', '/sessions/sam-1?tab=details', 'sam-1'],
  ['pulls', '/pulls', 'Add greet'],
  ['pull', '/projects/sample/pull/4', 'Add greet'],
  ['pull-files', '/projects/sample/pull/4?tab=files', 'greet.js'],
  ['pull-checks', '/projects/sample/pull/7?tab=checks', 'test'],
  ['issues', '/issues', 'Signed out'],
  ['radar', '/radar', /conflict/i],
  ['train', '/train', 'No project has a train'],
  ['observability', '/observability', 'The fleet over time'],
  ['feedback', '/feedback', 'No agent has reported anything'],
  ['archive', '/archive', 'Nothing is archived yet'],
  ['settings', '/settings', 'approved-and-green'],
]

/** What is opened on a page. */
const OPENED: ReadonlyArray<readonly [name: string, path: string, open: (page: Page) => Promise<unknown>]> = [
  ['palette', '/', (page) => page.keyboard.press('Control+k')],
  ['spawn', '/', (page) => page.keyboard.press('n')],
  ['help', '/', (page) => page.keyboard.press('?')],
  ['edit-project', '/settings', (page) => page.getByRole('button', { name: 'Edit sample' }).click()],
  ['edit-reaction', '/settings', (page) => page.getByRole('button', { name: 'Edit agent-stuck' }).click()],
  ['edit-notifier', '/settings', (page) => page.getByRole('button', { name: 'Add a notifier' }).click()],
  ['edit-review', '/settings', reviewChange],
  ['pair', '/settings', (page) => page.getByRole('button', { name: 'Pair a phone' }).click()],
]

const LOOKS = [
  ['light', { width: 1440, height: 900 }],
  ['dark', { width: 1440, height: 900, colorScheme: 'dark' }],
  ['phone', { width: 390, height: 844 }],
] as const

async function reviewChange(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit sample' }).click()
  await page.getByLabel('Commands that prepare a new worktree').fill('npm ci')
  await page.getByLabel('Branch that new work starts from').fill('develop')
  await page.getByRole('button', { name: 'Review the change' }).click()
  await sees(page, 'I agree')
}

describe.skipIf(DIRECTORY === '')('pictures', () => {
  let world: BrowserWorld
  beforeAll(async () => {
    mkdirSync(DIRECTORY, { recursive: true })
    world = await createBrowserWorld({ records: true, reactions: ['approved-and-green: { auto: false }'] })
    for (const [title, script] of SESSIONS) world.ao('spawn', world.issue(title, script))
    const { page } = world
    await sees(page, '#7')
    world.ao(
      'spawn',
      world.issue('Count the tests', 'run npm test\nsay There are two tests.\nask Shall I write more of them?'),
    )
    await sees(page, 'Shall I write more of them?')
    world.ao('session', 'kill', 'sam-6')
    await page
      .getByRole('region', { name: /^Needs you/ })
      .getByText('Which colour')
      .first()
      .waitFor()
    await page
      .getByRole('region', { name: /^In review/ })
      .getByText('Add a greeting')
      .first()
      .waitFor()
  }, 240_000)
  afterAll(() => endsWell(world))

  it.each(LOOKS)('in %s', { timeout: 600_000 }, async (look, size) => {
    const page = await world.open(size)
    const shoot = async (name: string) => {
      // Terminals and plots draw a moment later than their words.
      await page.waitForTimeout(700)
      await page.screenshot({ path: join(DIRECTORY, `${name}-${look}.png`) })
    }
    for (const [name, path, text] of PAGES) {
      await world.goto(path, page)
      await page
        .getByText(text)
        .first()
        .waitFor({ timeout: 15_000 })
        .catch(() => console.log(`${look}: ${name} does not show ${text}`))
      await shoot(name)
    }
    for (const [name, path, open] of OPENED) {
      await world.goto(path, page)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await open(page).catch((error: Error) => console.log(`${look}: ${name}: ${error.message}`))
      await shoot(name)
    }
    await page.context().close()
  })
})
