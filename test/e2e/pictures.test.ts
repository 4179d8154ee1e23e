// Pictures of every page in light, dark, on a narrow screen and on a phone, for people to look at: `npm run pictures`. They are written to the
// directory in AO_PICTURES; without it nothing runs.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { type BrowserWorld, createBrowserWorld, endsWell, sees } from './browser-world.ts'
import { createLandingWorld, type LandingWorld } from './landing-world.ts'
import { createWorkWorld, type WorkWorld } from './work-world.ts'

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
  ['pull', '/projects/sample/pull/:greet', 'Add greet'],
  ['pull-files', '/projects/sample/pull/:greet?tab=files', 'greet.js'],
  ['pull-checks', '/projects/sample/pull/:broken?tab=checks', 'test'],
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

const THEMES = [
  ['light', { width: 1440, height: 900 }],
  ['dark', { width: 1440, height: 900, colorScheme: 'dark' }],
  ['narrow', { width: 1024, height: 768 }],
  ['phone', { width: 390, height: 844 }],
] as const

async function cardIn(page: Page, column: RegExp, text: string): Promise<void> {
  await page.getByRole('region', { name: column }).getByText(text).first().waitFor({ timeout: 60_000 })
}

async function reviewChange(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit sample' }).click()
  await page.getByLabel('Commands that prepare a new worktree').fill('npm ci')
  await page.getByLabel('Branch that new work starts from').fill('develop')
  await page.getByRole('button', { name: 'Review the change' }).click()
  await sees(page, 'I agree')
}

describe.skipIf(DIRECTORY === '')('pictures', () => {
  let world: BrowserWorld
  let greet: string
  let broken: string
  /** Of the pull request of this session; issues have numbers of the same row. */
  function numberOf(session: string): string {
    const { pullRequests } = world.json<{ pullRequests: Array<{ number: number; session: string }> }>('pr', 'ls')
    return String(pullRequests.find((pull) => pull.session === session)?.number ?? '')
  }
  beforeAll(async () => {
    mkdirSync(DIRECTORY, { recursive: true })
    world = await createBrowserWorld({ records: true, reactions: ['approved-and-green: { auto: false }'] })
    for (const [title, script] of SESSIONS) world.ao('spawn', world.issue(title, script))
    const { page } = world
    greet = await waitFor('the first pull request', () => numberOf('sam-2'))
    broken = await waitFor('the second', () => numberOf('sam-5'))
    world.ao(
      'spawn',
      world.issue('Count the tests', 'run npm test\nsay There are two tests.\nask Shall I write more of them?'),
    )
    await sees(page, 'Shall I write more of them?')
    world.ao('session', 'kill', 'sam-6')
    world.ao('session', 'pin', 'sam-2', '--folder', 'release')
    world.ao('session', 'pin', 'sam-6')
    world.ao('search', '--save', 'colours', 'colour', 'logo')
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

  it.each(THEMES)('in %s', { timeout: 600_000 }, async (theme, size) => {
    const page = await world.open(size)
    const shoot = async (name: string) => {
      // Terminals and plots draw a moment later than their words.
      await page.waitForTimeout(700)
      await page.screenshot({ path: join(DIRECTORY, `${name}-${theme}.png`) })
    }
    for (const [name, path, text] of PAGES) {
      await world.goto(path.replace(':greet', greet).replace(':broken', broken), page)
      await page
        .locator('#content')
        .getByText(text)
        .filter({ visible: true })
        .first()
        .waitFor({ timeout: 15_000 })
        .catch(() => console.log(`${theme}: ${name} does not show ${text}`))
      await shoot(name)
    }
    for (const [name, path, open] of OPENED) {
      await world.goto(path, page)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await open(page).catch((error: Error) => console.log(`${theme}: ${name}: ${error.message}`))
      await shoot(name)
    }
    await page.context().close()
  })

  it('of README.md and docs/dashboard.md, which are copied to docs/images', { timeout: 300_000 }, async () => {
    for (const title of ['Speed up the search index', 'Retry failed uploads with a growing pause'])
      world.ao('spawn', world.issue(title, 'say I look at what is there.\nwait 900'))
    world.ao('pr', 'review', greet, '--approve')
    const parts = [
      ['docs-board', '/', { width: 1280, height: 760 }, /sessions running/],
      ['docs-queue', '/queue', { width: 1280, height: 480 }, 'Which colour'],
      ['docs-queue-phone', '/queue', { width: 390, height: 844 }, 'Which colour'],
    ] as const
    for (const [name, path, size, text] of parts) {
      const page = await world.open(size)
      await world.goto(path, page)
      await sees(page, text)
      if (path === '/') await cardIn(page, /^Ready to merge/, 'Add a greeting')
      if (path === '/') await cardIn(page, /^Working/, 'Retry failed uploads')
      await page.waitForTimeout(700)
      await page.screenshot({ path: join(DIRECTORY, `${name}.png`) })
      await page.context().close()
    }
  })

  it('while everything is paused', { timeout: 120_000 }, async () => {
    world.ao('pause', '--reason', 'look at the tests')
    for (const [theme, size] of THEMES) {
      const page = await world.open(size)
      for (const [name, path] of [
        ['paused-board', '/'],
        ['paused-session', '/sessions/sam-1'],
      ] as const) {
        await world.goto(path, page)
        await sees(page, /Paused .*ago/)
        await page.screenshot({ path: join(DIRECTORY, `${name}-${theme}.png`) })
      }
      if (theme === 'phone') {
        await page.getByRole('button', { name: 'More', exact: true }).click()
        await page.screenshot({ path: join(DIRECTORY, 'paused-more-phone.png') })
      }
      await page.context().close()
    }
    world.ao('resume')
  })
})

const WIDTHS = [390, 768, 1440]

describe.skipIf(DIRECTORY === '')('pictures of work with a shape', () => {
  let world: WorkWorld
  beforeAll(async () => {
    mkdirSync(DIRECTORY, { recursive: true })
    world = await createWorkWorld()
  }, 240_000)
  afterAll(() => endsWell(world))

  const pages = (): ReadonlyArray<readonly [name: string, path: string, text: string | RegExp]> => {
    const { ids, pull } = world
    const [first, , , waiting] = ids.stack
    return [
      ['work-board', '/', 'sessions'],
      ['work-table', '/?view=table', 'Remove the old parser'],
      ['work-stack', `/sessions/${first}?tab=details`, 'Stack'],
      ['work-waiting', `/sessions/${waiting}`, 'It has not started yet'],
      ['work-tries', `/tasks/${ids.tries}`, 'Against each other'],
      ['work-group', `/tasks/${ids.group}`, 'A group of 2'],
      ['work-plan', `/plans/${ids.plan}`, 'Keep prices in cents'],
      ['work-findings', `/projects/shop/pull/${pull}`, 'dividing by zero'],
      ['work-findings-files', `/projects/shop/pull/${pull}?tab=files`, 'dividing by zero'],
      ['work-issues', '/issues?project=shop', 'Work that starts by itself'],
    ]
  }

  it.each(WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((theme) => [width, theme] as const)))(
    'at %i pixels, %s',
    { timeout: 300_000 },
    async (width, theme) => {
      const page = await world.open({ width, height: 900, colorScheme: theme })
      const shoot = async (name: string) => {
        await page.waitForTimeout(500)
        await page.screenshot({ path: join(DIRECTORY, `${name}-${width}-${theme}.png`) })
      }
      for (const [name, path, text] of pages()) {
        await world.goto(path, page)
        await sees(page, text)
        await shoot(name)
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
        if (isWide) console.log(`${name} is wider than ${width} pixels`)
      }
      await world.goto(`/plans/${world.ids.plan}`, page)
      await page.getByRole('button', { name: 'Edit' }).click()
      await shoot('work-plan-edit')
      await world.goto('/issues?project=shop', page)
      await page.getByText('Work that starts by itself').scrollIntoViewIfNeeded()
      await page.getByText('Earlier').first().click()
      await shoot('work-schedules')
      await page.context().close()
    },
  )

  it('of docs/work.md, which are copied to docs/images', { timeout: 120_000 }, async () => {
    const { ids, pull } = world
    const page = await world.open({ width: 1100, height: 900 })
    const parts: ReadonlyArray<readonly [name: string, path: string, text: string, part: string]> = [
      ['stack', `/sessions/${ids.stack[3]}`, 'see above', 'section:has(> div > h2:text-is("Stack"))'],
      ['tries', `/tasks/${ids.tries}`, 'Against each other', 'main > div > div'],
      ['plan', `/plans/${ids.plan}`, 'Keep prices in cents', 'main section'],
      ['findings', `/projects/shop/pull/${pull}?tab=files`, 'dividing by zero', '#content [role=tabpanel]'],
    ]
    for (const [name, path, text, part] of parts) {
      await world.goto(path, page)
      await sees(page, text)
      await page.waitForTimeout(500)
      const box = (await page.locator(part).first().boundingBox())!
      const clip = { ...box, height: Math.min(box.height, 400) }
      await page.screenshot({ path: join(DIRECTORY, `docs-work-${name}.png`), clip })
    }
    await page.context().close()
  })
})

describe.skipIf(DIRECTORY === '')('pictures of landing', () => {
  let world: LandingWorld
  beforeAll(async () => {
    mkdirSync(DIRECTORY, { recursive: true })
    world = await createLandingWorld()
  }, 400_000)
  afterAll(() => endsWell(world))

  it('of docs/landing.md and docs/gates.md, which are copied to docs/images', { timeout: 120_000 }, async () => {
    const page = await world.open({ width: 1100, height: 900 })
    const shoot = async (name: string, clip: { x: number; y: number; width: number; height: number }) => {
      await page.waitForTimeout(500)
      await page.screenshot({ path: join(DIRECTORY, `docs-landing-${name}.png`), clip })
    }
    await world.goto('/train', page)
    await sees(page, 'release 2.4')
    await shoot('train', (await page.locator('main section').first().boundingBox())!)
    await world.goto(`/projects/shop/pull/${world.pull}?tab=files`, page)
    await page.getByLabel('Only files with findings').check()
    const mark = page.getByText('never ran').first()
    await mark.evaluate((one) => one.scrollIntoView({ block: 'center' }))
    const { y } = (await mark.boundingBox())!
    await shoot('lines', { x: 80, y: y - 150, width: 1000, height: 220 })
    await page.context().close()
  })
})
