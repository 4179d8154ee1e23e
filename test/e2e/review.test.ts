// A review that takes its time: by keyboard, over a reload, over a push in between, until its remarks are settled.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld
let work: string

const BRANCH = 'feat/hello'

beforeAll(async () => {
  world = await createBrowserWorld({ reactions: ['approved-and-green: { auto: false }'] })
  work = join(world.home, 'work')
  git(world.repo, 'worktree', 'add', '--quiet', '-b', BRANCH, work, 'main')
  push({ 'src/hello.js': 'export const hello = 1\nexport const world = 2\n', 'src/add.js': null }, 'Say hello')
  world.ao('gh', 'pr', 'create', '--head', BRANCH, '--title', 'Say hello', '--body', 'Please look.')
}, 120_000)
afterAll(() => endsWell(world))

function git(cwd: string, ...args: string[]): void {
  const env = { ...process.env, HOME: world.home, GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('git', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** A content of null removes the file. */
function push(files: Record<string, string | null>, message: string): void {
  for (const [name, content] of Object.entries(files)) {
    if (content === null) git(work, 'rm', '--quiet', name)
    else writeFileSync(join(work, name), content)
  }
  git(work, 'add', '--all')
  git(work, 'commit', '--quiet', '--message', message)
}

describe('a review', () => {
  it('is written by keyboard, survives a reload and a push, and goes off as one', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/projects/sample/pull/1?tab=files')
    const file = page.getByRole('region', { name: 'src/hello.js' })
    await file.getByText('export const world = 2').waitFor()
    // The first file is the removed one: the second has the focus, and its second line gets the comment.
    for (const key of ['n', 'n', 'j', 'j', 'c']) await page.keyboard.press(key)
    const box = page.getByRole('textbox', { name: 'Comment on line 2 of src/hello.js' })
    await box.waitFor()
    await page.keyboard.type('Why two?')
    await page.keyboard.press('Control+Enter')
    await file.getByText('Pending').waitFor()
    await file.getByRole('button', { name: 'Comment on line 1', exact: true }).click()
    await page.getByRole('textbox', { name: 'Comment on line 1 of src/hello.js' }).fill('Half a thou')
    await page.waitForFunction(() => JSON.stringify(localStorage).includes('Half a thou'))

    await page.reload()
    await file.getByText('Why two?').waitFor()
    const draft = page.getByRole('textbox', { name: 'Comment on line 1 of src/hello.js' })
    expect(await draft.inputValue()).toBe('Half a thou')
    await draft.fill('Half a thought, finished')
    await page.getByRole('button', { name: 'Add to the review' }).click()
    await page.getByRole('button', { name: 'Finish review (2)' }).waitFor()

    // While the new changes are on their way, the page says that it still shows the old ones.
    const slow = Promise.withResolvers<void>()
    await page.route('**/pulls/1/diff**', (route) => slow.promise.then(() => route.continue()))
    push({ 'src/hello.js': '// Greets.\nexport const hello = 1\nexport const world = 3\n' }, 'Three')
    await sees(page, 'Something was pushed')
    slow.resolve()
    await page.getByText('Something was pushed').waitFor({ state: 'hidden' })
    await file.getByText('export const world = 3').waitFor()
    await sees(page, 'a line that you commented on has changed')
    await file.getByText('The line has changed').waitFor()
    await page.getByRole('button', { name: 'They do' }).click()
    await page.getByRole('button', { name: 'Finish review (2)' }).click()
    await page.getByRole('textbox', { name: 'Summary' }).fill('Two words on it.')
    await page.getByRole('button', { name: 'Submit review' }).click()
    await sees(page, '#1: changes are requested')

    const { pullRequest } = world.json<{ pullRequest: { reviews: unknown[]; comments: unknown[] } }>('pr', 'view', '1')
    expect(pullRequest.reviews).toMatchObject([{ state: 'changes_requested', body: 'Two words on it.' }])
    expect(pullRequest.comments).toMatchObject([
      { path: 'src/hello.js', line: 2, body: 'Why two?' },
      { path: 'src/hello.js', line: 2, body: 'Half a thought, finished' },
    ])
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('ao.review')))).toEqual(
      [],
    )
  })

  it('keeps its remarks at their lines, says which are outdated, and lets them be settled', async () => {
    keepPicture(world)
    const { page } = world
    push({ 'src/hello.js': '// Greets.\nexport const hello = "hello"\nexport const world = 3\n' }, 'Words')
    await world.goto('/projects/sample/pull/1?tab=files')
    await sees(page, 'Outdated, was line 2')
    const remark = page.getByRole('article').filter({ hasText: 'Half a thought' })
    await remark.getByRole('button', { name: 'Reply' }).click()
    await page.keyboard.type('Still half')
    // What was typed survives a reload.
    await page.reload()
    await remark.getByRole('textbox', { name: 'Reply in this thread' }).press('Control+Enter')
    await remark.getByRole('list', { name: 'Replies' }).getByText('Still half').waitFor()
    const { pullRequest } = world.json<{ pullRequest: { comments: unknown[] } }>('pr', 'view', '1')
    expect(pullRequest.comments.at(-1)).toMatchObject({ body: 'Still half', inReplyTo: expect.any(String) })
    await remark.getByRole('button', { name: 'Resolve' }).click()
    // A settled one is folded away.
    await page.getByRole('article').getByText('Resolved').waitFor()
    await remark.waitFor({ state: 'hidden' })
    await page.getByRole('tab', { name: /Conversation/ }).click()
    await sees(page, 'Before the last push')
    await sees(page, 'Not reviewed since the last push')
  })

  it('of a deleted file is possible too, and a failing check shows its log and blocks the merge', async () => {
    keepPicture(world)
    const { page } = world
    // Open already: it is the first that failed.
    await page.getByRole('region', { name: 'Log of test' }).getByText('add.js').first().waitFor()
    await sees(page, /It cannot be merged now: checks have not passed/)
    expect(await page.getByRole('button', { name: 'Merge into main' }).isDisabled()).toBe(true)
    await page.getByRole('tab', { name: /Files changed/ }).click()
    const gone = page.getByRole('region', { name: 'src/add.js' })
    await gone.getByRole('button', { name: 'Comment on removed line 1' }).click()
    await page.getByRole('textbox', { name: 'Comment on line 1 of src/add.js' }).fill('Keep it')
    await page.getByRole('button', { name: 'Add to the review' }).click()
    await gone.getByText('Keep it').waitFor()
    await gone.getByRole('button', { name: 'Remove', exact: true }).click()
    await gone.getByText('Keep it').waitFor({ state: 'hidden' })
  })

  it('is of a part of the work: what is new since the last review, a commit, a file that was not viewed yet', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/projects/sample/pull/1?tab=files')
    const tree = page.getByRole('navigation', { name: 'Files of the diff' })
    await page.getByRole('checkbox', { name: 'Viewed src/add.js' }).check()
    await sees(page, '1 of 2 viewed')
    await page.reload()
    // A mark lasts, its file is folded, and the tree opens it again.
    await tree.getByRole('button', { name: /viewed.*add\.js/ }).click()
    expect(await page.getByRole('checkbox', { name: 'Viewed src/add.js' }).isChecked()).toBe(true)
    await page
      .getByRole('region', { name: 'src/add.js' })
      .getByRole('button', { name: 'Comment on removed line 1' })
      .waitFor()

    const parts = page.getByRole('combobox', { name: 'Which changes' })
    await parts.selectOption({ label: 'Since your review' })
    await page.getByRole('region', { name: 'src/add.js' }).waitFor({ state: 'detached' })
    const file = page.getByRole('region', { name: 'src/hello.js' })
    await file.getByText('export const hello = 1').waitFor()
    await file.getByRole('button', { name: 'More context' }).click()
    await file.getByText('// Greets.').waitFor()
    const { commits } = JSON.parse(world.ao('gh', 'pr', 'view', '1', '--json', 'commits')) as {
      commits: Array<{ oid: string }>
    }
    expect(await parts.locator('option').count()).toBe(2 + commits.length)
    await parts.selectOption(`commit:${commits[0]!.oid}`)
    await file.getByText('export const world = 2').waitFor()
    // Its lines have other numbers now: there is nothing to comment on.
    expect(await file.getByRole('button', { name: /^Comment on/ }).count()).toBe(0)
    await parts.selectOption({ label: 'All changes' })

    await file.getByRole('button', { name: 'Comment on line 1', exact: true }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await file.getByRole('button', { name: 'Comment on line 3', exact: true }).click({ modifiers: ['Shift'] })
    expect(await page.getByRole('combobox', { name: 'First line' }).inputValue()).toBe('1')
    await page.getByRole('combobox', { name: 'First line' }).selectOption('2')
    await page.getByRole('button', { name: 'Suggest a change' }).click()
    const box = page.getByRole('textbox', { name: 'Comment on line 3 of src/hello.js' })
    expect(await box.inputValue()).toBe('```suggestion\nexport const hello = "hello"\nexport const world = 3\n```\n')
    await page.getByRole('button', { name: 'Add to the review' }).click()
    await sees(page, 'Suggested change')
    await sees(page, 'Lines 2 to 3, sent with your review')
    await page.getByRole('button', { name: 'Finish review (1)' }).click()
    await page.getByRole('button', { name: 'Submit review' }).click()
    await sees(page, '#1: changes are requested')
    const { pullRequest } = world.json<{ pullRequest: { comments: unknown[] } }>('pr', 'view', '1')
    expect(pullRequest.comments.at(-1)).toMatchObject({ path: 'src/hello.js', startLine: 2, line: 3 })
  })

  it('shows what changed after the page had asked and before its stream began', async () => {
    keepPicture(world)
    const page = await world.open({ width: 1280, height: 800 })
    const changed = Promise.withResolvers<void>()
    await page.routeWebSocket(/\/api\/stream/, async (socket) => {
      await changed.promise
      socket.connectToServer()
    })
    await world.goto('/projects/sample/pull/1', page)
    await sees(page, 'Say hello')
    // Longer than anything is cached for, and nobody is there to be told.
    world.ao('gh', 'pr', 'edit', '1', '--title', 'Say good morning')
    changed.resolve()
    await sees(page, 'Say good morning')
    await page.context().close()
  })

  it('is missing when somebody merges without one, who chooses how as well', async () => {
    keepPicture(world)
    const { page } = world
    git(world.repo, 'worktree', 'add', '--quiet', '-b', 'feat/two', join(world.home, 'two'), 'main')
    writeFileSync(join(world.home, 'two', 'NOTES.md'), 'Two.\n')
    git(join(world.home, 'two'), 'add', '--all')
    git(join(world.home, 'two'), 'commit', '--quiet', '--message', 'Notes')
    world.ao('gh', 'pr', 'create', '--head', 'feat/two', '--title', 'Notes', '--body', 'Two.')
    await world.goto('/projects/sample/pull/2')
    await page.getByText('All checks pass').first().waitFor()
    await page.getByRole('button', { name: 'Merge into main' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nobody has reviewed it').waitFor()
    await dialog.getByRole('combobox', { name: 'How' }).selectOption('merge')
    await dialog.getByRole('button', { name: 'Merge anyway' }).click()
    await sees(page, '#2 was merged into main')
    const parents = execFileSync('git', ['rev-list', '--parents', '-1', 'main'], { cwd: world.repo, encoding: 'utf8' })
    expect(parents.trim().split(' ')).toHaveLength(3)
  })
})
