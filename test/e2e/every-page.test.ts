// Every page as it meets people: in both colour schemes, on a phone, by keyboard, and through a screen reader's rules.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { neededRight } from '../../src/core/access/device-rights.ts'
import { some } from '../support/cover.ts'
import { seriousFindings } from './axe.ts'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

const PAGES = [
  ['the board', '/', 'Needs you'],
  ['the table of sessions', '/?view=table', 'Ask something'],
  ['a session', '/sessions/sam-1', 'sam-1'],
  ['pull requests', '/pulls', 'Add a greeting'],
  ['a pull request', '/projects/sample/pull/3', 'review requested from maria'],
  ['a diff', '/projects/sample/pull/3?tab=files', 'greet = (name)'],
  ['changes of a session', '/sessions/sam-1?tab=changes', 'greet = (name)'],
  ['details of a session', '/sessions/sam-1?tab=details', 'Standing rules'],
  ['the queue', '/queue', /to deal with/],
  ['the radar', '/radar', 'No conflicts'],
  ['the train', '/train', 'No project has a train'],
  ['issues', '/issues', 'assigned to maria'],
  ['observability', '/observability', 'The fleet over time'],
  ['feedback', '/feedback', 'No agent has reported anything'],
  ['the archive', '/archive', 'Nothing is archived yet'],
  ['settings', '/settings', 'approved-and-green'],
  ['a session that waits', '/sessions/sam-3', 'It has not started yet'],
  ['a plan', '/plans/:plan', 'Greet in other languages'],
] as const

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

let world: BrowserWorld
let plan: string

beforeAll(async () => {
  world = await createBrowserWorld({ reactions: ['approved-and-green: { auto: false }'] })
  const greet = world.issue(
    'Greet people <script>document.title = "taken over"</script>',
    'write src/greet.js export const greet = (name) => `Hello ${name}`\ncommit Add a greeting\npr Add a greeting <img src=x onerror=alert(1)>\nfinish Done <b>boldly</b>.',
  )
  const ask = world.issue('Ask something', 'ask Which one, <i>a</i> or b?')
  world.ao('batch-spawn', greet, ask)
  const stands = (column: RegExp, title: string) =>
    world.page.getByRole('region', { name: column }).getByText(title).first().waitFor()
  await stands(/^Needs you/, 'Ask something')
  await stands(/^In review/, 'Greet people')
  world.ao('gh', 'issue', 'edit', greet, '--add-label', 'ui', '--add-assignee', 'maria')
  world.ao('gh', 'pr', 'edit', '3', '--add-label', 'ui', '--add-assignee', 'sam', '--add-reviewer', 'maria')
  world.ao('spawn', '--prompt', 'Say goodbye, too', '--needs', 'sam-1')
  const proposal = join(world.home, 'plan.json')
  writeFileSync(proposal, JSON.stringify([{ key: 'one', title: 'Greet in other languages <i>soon</i>' }]))
  plan = world.json<{ plan: { id: string } }>('plan', 'propose', greet, '--file', proposal).plan.id
}, 120_000)
afterAll(() => endsWell(world))

/** A terminal needs a moment to follow its window. */
function fits(page: Page): Promise<boolean> {
  const isNarrow = () => document.documentElement.scrollWidth <= window.innerWidth
  return page.waitForFunction(isNarrow, undefined, { timeout: 5_000 }).then(
    () => true,
    () => false,
  )
}

function isForAnswering(route: string): boolean {
  const [method = '', path = ''] = route.split(' ')
  return neededRight({ method, path }) !== 'full'
}

describe('every page', () => {
  describe.each([
    { colorScheme: 'light', pages: PAGES, rules: null },
    // Colours are all that differs.
    { colorScheme: 'dark', pages: some(PAGES), rules: ['color-contrast'] },
  ] as const)('in $colorScheme colours', ({ colorScheme, pages, rules }) => {
    let page: Page
    beforeAll(async () => {
      page = await world.open({ ...DESK, colorScheme })
    })
    afterAll(() => page.context().close())

    it.each(pages)('%s has no serious finding and fits a phone', async (_, path, text) => {
      keepPicture(world)
      await world.goto(path.replace(':plan', plan), page)
      await sees(page, text)
      expect(await seriousFindings(page, rules && [...rules])).toEqual([])
      await page.setViewportSize(PHONE)
      expect(await fits(page)).toBe(true)
      await page.setViewportSize(DESK)
    })
  })

  it('opens on a phone', async () => {
    keepPicture(world)
    const page = await world.open(PHONE)
    await world.goto('/', page)
    await page.getByRole('tab', { name: /Needs you/ }).waitFor()
    await sees(page, 'Ask something')
    await world.goto('/sessions/sam-2', page)
    await sees(page, 'sam-2')
    expect(await fits(page)).toBe(true)
    await page.context().close()
  })
})

it('a phone is paired in three clicks, may answer and no more, and is cut off when it is revoked', async () => {
  keepPicture(world)
  const desk = await world.open(DESK)
  await world.goto('/settings', desk)
  await desk.getByRole('button', { name: 'Pair a phone' }).click()
  await desk.getByRole('button', { name: 'Show the QR code' }).click()
  await desk.getByRole('img', { name: /QR code/ }).waitFor()
  expect(await seriousFindings(desk, null)).toEqual([])
  const link = await desk.getByText(/\/pair\//).textContent()
  const phone = await world.open(PHONE, { isSignedIn: false })
  await phone.goto(link!)
  await phone.getByRole('button', { name: 'Pair' }).click()
  await sees(phone, /My phone.*may look at everything, answer agents/)
  await sees(desk, 'My phone is paired')
  const tryTo = (path: string) =>
    phone.evaluate(async (url) => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch(url, { method: 'POST', headers, body: '{}' })).status
    }, path)
  // It may send: only the empty message is refused.
  expect([await tryTo('/api/sessions/sam-1/kill'), await tryTo('/api/sessions/sam-1/send')]).toEqual([403, 400])
  // Nor does the page offer it: what it may not do is disabled, with the reason.
  for (const path of ['/', '/queue', '/sessions/sam-2', '/settings']) {
    await world.goto(path, phone)
    await sees(phone, /My phone.*may look at everything, answer agents/)
    await phone.locator('[data-does]').first().waitFor({ state: 'attached' })
    const offered = await phone
      .locator('[data-does]:not(:disabled)')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-does') ?? ''))
    expect([path, offered.filter((route) => !isForAnswering(route))]).toEqual([path, []])
  }
  await desk.getByRole('button', { name: 'Revoke My phone' }).click()
  await desk.getByRole('button', { name: 'Revoke', exact: true }).click()
  await sees(phone, 'What you see is old.')
  for (const page of [desk, phone]) await page.context().close()
})

it('settings are changed on the page as in the file: per-field errors, the lines that change, consent, conflict, undo', async () => {
  keepPicture(world)
  const page = await world.open(DESK)
  const file = join(world.repo, 'agent-orchestrator.yaml')
  const before = readFileSync(file, 'utf8')
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
  await world.goto('/settings', page)
  await button('Edit sample').click()
  await page.getByLabel('One session may cost').fill('much')
  await button('Review the change').click()
  await sees(page, 'must be an amount such as 5 USD')
  await page.getByLabel('One session may cost').fill('5 USD')
  await page.getByLabel('Commands that prepare a new worktree').fill('true')
  await button('Review the change').click()
  await sees(page, '+       session: 5 USD')
  expect(await button('Save').isDisabled()).toBe(true)
  await page.getByLabel('I agree: project sample runs in every new worktree: "true"').check()
  expect(await seriousFindings(page, null)).toEqual([])
  // Somebody edits the file by hand in this moment.
  writeFileSync(file, `${before}# by hand\n`)
  await button('Save').click()
  await sees(page, 'has changed in the meantime')
  await button('Review over the newer file').click()
  await page.getByLabel(/^I agree/).check()
  await button('Save').click()
  await sees(page, 'It is in force in a moment')
  const saved = readFileSync(file, 'utf8')
  expect(saved).toContain('# by hand')
  expect(saved).toContain('      session: 5 USD')
  expect(world.json<{ budget?: unknown }>('config', 'show')).toMatchObject({
    projects: { sample: { budget: { session: '5 USD' }, postCreate: ['true'] } },
  })
  await button('Undo the last change').click()
  await sees(page, 'The last change was undone')
  expect(readFileSync(file, 'utf8')).toBe(`${before}# by hand\n`)
  writeFileSync(file, before)
  await page.context().close()
})

describe('text that agents and people wrote', () => {
  it('is shown as text and never becomes markup', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/')
    await sees(page, 'Greet people <script>')
    await sees(page, 'Which one, <i>a</i> or b?')
    await world.goto('/projects/sample/pull/3')
    await sees(page, 'Add a greeting <img src=x onerror=alert(1)>')
    expect(await page.title()).not.toContain('taken over')
    expect(await page.locator('img, i, b').count()).toBe(0)
  })

  it('runs under a policy without inline script', async () => {
    const { page } = world
    await world.goto('/')
    const answer = await page.request.get(page.url())
    const policy = answer.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toContain("'unsafe-inline' 'unsafe-eval'")
    expect(/script-src[^;]*unsafe/.test(policy)).toBe(false)
  })
})

describe('by keyboard only', () => {
  it('a person goes from the board to a session, answers, and comes back', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/')
    await sees(page, 'Which one, <i>a</i> or b?')
    await page.keyboard.press('/')
    await page.keyboard.type('ask')
    await page.getByText('Greet people').first().waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sessions\/sam-2/)
    await page.goBack()
    await sees(page, 'Which one, <i>a</i> or b?')
    await page.keyboard.press('j')
    await page.keyboard.press('s')
    await page.getByRole('textbox', { name: 'Answer sam-2' }).waitFor()
    await page.keyboard.type('a, please')
    await page.keyboard.press('Control+Enter')
    await sees(page, 'Seen by the agent')
  })
})

it('a plan is changed and accepted by keyboard, and its work is waiting or under way', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/issues', page)
  await page.getByRole('link', { name: /^1 part of issue/ }).press('Enter')
  await page.getByRole('button', { name: 'Edit' }).press('Enter')
  await page.getByLabel('Title').fill('Greet in Danish')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await sees(page, 'Greet in Danish')
  await page.getByRole('button', { name: 'Accept: start 1 session' }).press('Enter')
  await sees(page, 'Carried out')
  await page.getByRole('link', { name: 'sam-4' }).waitFor()
})
