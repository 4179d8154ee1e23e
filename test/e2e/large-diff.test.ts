// A diff that is read like in an editor: colours, the words that changed, and one file of 20,000 lines without waiting.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture } from './browser-world.ts'

let world: BrowserWorld

const LINES = 20_000
const lineOf = (n: number) => `export const value${n} = compute(${n}, 'text ${n}') // number ${n}`

beforeAll(async () => {
  world = await createBrowserWorld({ reactions: ['approved-and-green: { auto: false }'] })
  const work = join(world.home, 'work')
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, env: gitEnv(), stdio: 'pipe' })
  git(world.repo, 'worktree', 'add', '--quiet', '-b', 'feat/large', work, 'main')
  writeFileSync(join(work, 'src/large.js'), Array.from({ length: LINES }, (_, n) => lineOf(n + 1)).join('\n'))
  writeFileSync(join(work, 'src/add.js'), 'export const add = (first, second) => first + second // sums\n')
  git(work, 'add', '--all')
  git(work, 'commit', '--quiet', '--message', 'Something large')
  world.ao('gh', 'pr', 'create', '--head', 'feat/large', '--title', 'Something large', '--body', 'Long.')
}, 120_000)
afterAll(() => endsWell(world))

function gitEnv(): NodeJS.ProcessEnv {
  return { ...process.env, HOME: world.home, GIT_CONFIG_NOSYSTEM: '1' }
}

describe('a diff', () => {
  it('shows syntax in colours and the words that changed within a line', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/projects/sample/pull/1?tab=files')
    const file = page.getByRole('region', { name: 'src/add.js' })
    await file.locator('.token.keyword').first().waitFor()
    expect(await file.locator('.diff-code-insert .diff-code-edit').allTextContents()).not.toEqual([])
  })

  it('opens a file of 20,000 lines immediately, keeps only what is near on the page, and accepts a comment on its last line', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/projects/sample/pull/1?tab=files')
    const file = page.getByRole('region', { name: 'src/large.js' })
    const heading = file.getByRole('heading').getByRole('button')
    await heading.waitFor()
    const ms = await heading.evaluate(async (button: HTMLElement) => {
      const started = performance.now()
      button.click()
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const shows = () => button.closest('section')?.textContent?.includes('value10 =')
      while (!shows()) await frame()
      await frame()
      return Math.round(performance.now() - started)
    })
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
    console.log(`a file of ${LINES} lines: open after ${ms} ms, ${nodes} elements`)
    expect(nodes).toBeLessThan(15_000)

    await file.evaluate((section) => section.scrollIntoView({ block: 'end' }))
    const last = file.getByRole('button', { name: `Comment on line ${LINES}`, exact: true })
    // A number of five digits takes one line.
    expect((await last.boundingBox())!.height).toBeLessThan(24)
    await last.click()
    await page.getByRole('textbox', { name: `Comment on line ${LINES} of src/large.js` }).fill('The end?')
    // What is being written stays when one scrolls far away, and comes back into sight with its line.
    await file.evaluate((section) => section.scrollIntoView({ block: 'start' }))
    await file.getByText('value10 =').first().waitFor()
    await file.evaluate((section) => section.scrollIntoView({ block: 'end' }))
    const box = page.getByRole('textbox', { name: `Comment on line ${LINES} of src/large.js` })
    expect(await box.inputValue()).toBe('The end?')
    await page.getByRole('button', { name: 'Add to the review' }).click()
    await file.getByText('Pending').waitFor()
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(15_000)
  })
})
