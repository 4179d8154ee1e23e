// Going back at a message, issues of several projects on one page, merging several at once.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRepo } from '../support/git-repo.ts'
import { waitFor } from '../support/wait-for.ts'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld({ reactions: ['approved-and-green: { auto: false }'] })
})
afterAll(() => endsWell(world))

interface Listed {
  id: string
  status: string
  workspacePath: string
}
const sessions = () => world.json<{ sessions: Listed[] }>('session', 'ls').sessions

it('restores the files from before a message, takes that back, and forks from there', async () => {
  keepPicture(world)
  const { page } = world
  world.ao(
    'spawn',
    world.issue('Keep a note', 'write note.txt first\nask What next?\nwrite note.txt second\nfinish Done.'),
  )
  await waitFor('the question', () => sessions()[0]?.status === 'needs_input')
  const note = join(sessions()[0]!.workspacePath, 'note.txt')
  world.ao('send', 'sam-1', 'Write the second one')
  await waitFor('the second text', () => readFileSync(note, 'utf8').trim() === 'second')
  await world.goto('/sessions/sam-1?tab=messages')
  await page.getByRole('tab', { name: /Messages/ }).click()
  const menu = page.getByRole('button', { name: /^Go back to before turn/ }).first()
  await menu.click()
  await page.getByRole('menuitem', { name: 'Go back to before it' }).click()
  await sees(page, /sam-1 is back at turn/)
  expect(readFileSync(note, 'utf8').trim()).toBe('first')
  await page.getByRole('button', { name: 'Undo' }).click()
  await waitFor('the second text again', () => readFileSync(note, 'utf8').trim() === 'second')

  await menu.click()
  await page.getByRole('menuitem', { name: 'Fork from here' }).click()
  await sees(page, /Started sam-2 from turn/)
  const fork = sessions().find(({ id }) => id === 'sam-2')
  expect(readFileSync(join(fork!.workspacePath, 'note.txt'), 'utf8').trim()).toBe('first')

  await menu.click()
  await page.getByRole('menuitem', { name: 'Edit and send again' }).click()
  await waitFor('the text in the box', async () =>
    (await page.getByRole('textbox', { name: 'Message to sam-1' }).inputValue()).includes('Write the second one'),
  )
  expect(readFileSync(note, 'utf8').trim()).toBe('first')
})

it('lists the issues of all projects together, and merges those that are ready after naming each commit', async () => {
  keepPicture(world)
  const { page, repo, home } = world
  createRepo(join(home, 'other'), { ...process.env, HOME: home })
  const file = join(repo, 'agent-orchestrator.yaml')
  writeFileSync(
    file,
    `${readFileSync(file, 'utf8').trimEnd()}\n  other: { path: ../other, tracker: local, scm: local }\n`,
  )
  execFileSync('git', ['commit', '--quiet', '--all', '--message', 'Another project'], {
    cwd: repo,
    env: { ...process.env, HOME: home },
  })
  world.ao('config', 'trust', '--yes')
  world.ao('issue', 'new', 'Elsewhere', '-p', 'other')
  await world.goto('/issues')
  await page.getByRole('region', { name: 'Issues of other' }).getByText('Elsewhere').waitFor()
  await page.getByRole('region', { name: 'Issues of sample' }).getByText('Keep a note').waitFor()
  await page.getByLabel('Project').selectOption('other')
  await page.getByRole('region', { name: 'Issues of sample' }).waitFor({ state: 'detached' })

  for (const name of ['one', 'two']) {
    const script = `write src/${name}.js export const ${name} = 1\ncommit Add ${name}\npr Add ${name}\nfinish Done.`
    world.ao('spawn', `sample/${world.issue(`Add ${name}`, script)}`)
  }
  interface Pulls {
    pullRequests: Array<{ number: number; ci: string; state: string }>
  }
  const pulls = () => world.json<Pulls>('pr', 'ls', '-p', 'sample').pullRequests
  await waitFor('two green pull requests', () => pulls().filter(({ ci }) => ci === 'passing').length === 2)
  await world.goto('/pulls')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Approve several…' }).click()
  // An approval may merge: each is chosen by hand.
  expect(await dialog.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
  for (const box of await dialog.getByRole('checkbox').all()) await box.check()
  await dialog.getByRole('button', { name: 'Approve 2 pull requests' }).click()
  await waitFor('both verdicts', async () => (await dialog.getByText('approved', { exact: true }).count()) === 2)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  // How long each of their checks took.
  await page
    .getByRole('button', { name: /checks of/ })
    .first()
    .click()
  await page
    .getByText(/^in [\d.]+[sm]$/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Merge several…' }).click()
  await dialog.getByRole('button', { name: 'Merge 2 pull requests' }).click()
  await waitFor('both results', async () => (await dialog.getByText(/^merged/).count()) === 2)
  expect(pulls().filter(({ state }) => state === 'open')).toEqual([])
  expect(existsSync(join(repo, 'src/two.js'))).toBe(true)
})

it('keeps a task that was being written until it is started', async () => {
  keepPicture(world)
  const { page } = world
  const open = async () => {
    await world.goto('/')
    await page.getByRole('button', { name: 'Spawn', exact: true }).first().click()
    return page.getByRole('dialog').getByLabel('Task')
  }
  await (await open()).fill('Water the plants')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  const task = await open()
  await waitFor('the text', async () => (await task.inputValue()) === 'Water the plants')
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await (await open()).inputValue()).toBe('')
})
