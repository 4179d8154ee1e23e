// A person reviews from the terminal board: a verdict is about the head that was on the screen. With AO_CAST=<file> what the
// terminal shows is kept as a recording; `npm run recording` makes docs/images/terminal-board.cast.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { sleep } from '../../src/lib/clock.ts'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { git } from '../support/git-repo.ts'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const ISSUE = '```demo\nwrite answer.txt good\ncommit Add the answer\npr Add the answer\nfinish I am done.\n```\n'
const [COLUMNS, ROWS] = [80, 24]
/** Long enough for a person to read the question. */
const READING_MS = 700

interface Viewed {
  headSha: string
  reviews: Array<{ state: string; body: string; commit: string }>
}

let ao: AoHome
let end = async (): Promise<void> => undefined
beforeAll(buildAo)
beforeEach(async () => {
  ao = await createAoHome({ projectYaml: 'agent: demo\nagentConfig: { permissions: skip }\nscm: { plugin: local }' })
})
afterEach(async () => {
  await end()
  ao.run(['stop'])
  expect(await ao.cleanup()).toEqual([])
})

const view = () => (JSON.parse(ao.ok(['pr', 'view', '2', '--json'])) as { pullRequest: Viewed }).pullRequest

async function openBoard(args: string[]) {
  const { spawn } = await import('@lydell/node-pty')
  const env = { ...ao.env, TERM: 'xterm-256color' } as Record<string, string>
  const size = { cols: COLUMNS, rows: ROWS }
  const pty = spawn(process.execPath, [ao.program, 'top', ...args], { ...size, cwd: ao.repo, env })
  const started = performance.now()
  const shown: Array<[number, string, string]> = []
  let output = ''
  let isOver = false
  pty.onData((data) => {
    output += data
    shown.push([Number(((performance.now() - started) / 1000).toFixed(3)), 'o', data])
  })
  pty.onExit(() => {
    isOver = true
  })
  end = async () => {
    if (!isOver) pty.kill()
    await waitFor('its end', () => isOver)
  }
  return {
    press: (keys: string) => pty.write(keys),
    /** What it draws from now on. */
    shows: async (text: string) => {
      await waitFor(text, () => output.includes(text) || Promise.reject(new Error(output)))
      output = ''
    },
    has: (text: string) => output.includes(text),
    recording: () => {
      const head = { version: 2, width: COLUMNS, height: ROWS, title: 'ao top: a review in the terminal' }
      return [head, ...shown].map((line) => `${JSON.stringify(line)}\n`).join('')
    },
    isOver: () => isOver || undefined,
  }
}

/** The loop has read it. */
function knownHead(head: string): Promise<boolean> {
  const record = () => readFileSync(ao.sessionFile('app-1'), 'utf8')
  return waitFor('its head', () => record().includes(`prHead=${head}`), 60_000)
}

async function openPull(): Promise<Viewed> {
  ao.ok(['issue', 'new', 'Add the answer', '--body-file', '-'], ISSUE)
  ao.ok(['spawn', '1'])
  ao.ok(['start'])
  await knownHead('')
  return waitFor('the pull request', () => {
    const { pullRequests } = JSON.parse(ao.ok(['pr', 'ls', '--json'])) as { pullRequests: Viewed[] }
    return pullRequests[0]
  })
}

it('approves the head that is shown, asks for changes of it, and refuses one that was pushed meanwhile', async () => {
  const { headSha: first } = await openPull()
  const board = await openBoard([])
  await board.shows('Queue')
  board.press('3')
  await board.shows('app-1')
  board.press('o')
  await board.shows(`at ${first.slice(0, 12)}`)
  const tree = ao.worktree('app-1')
  writeFileSync(join(tree, 'answer.txt'), 'better\n')
  git(tree, ao.env, '-c', 'user.name=x', '-c', 'user.email=x@example.invalid', 'commit', '-qam', 'Say it better')
  await sleep(READING_MS)
  board.press('y')
  await board.shows('was pushed to')
  const head = git(tree, ao.env, 'rev-parse', 'HEAD').trim()
  expect(view().reviews).toEqual([])
  await knownHead(head)
  await waitFor('the new head on the board', async () => {
    board.press('\x1b')
    await sleep(200)
    board.press('o')
    await sleep(200)
    return board.has(`at ${head.slice(0, 12)}`)
  })
  await sleep(READING_MS)
  board.press('y')
  await board.shows(`approved at ${head.slice(0, 12)}`)
  board.press('c')
  await board.shows('what has to change')
  for (const letter of 'Say why') board.press(letter)
  await board.shows('Say why')
  await sleep(READING_MS)
  board.press('\r')
  await board.shows(`changes requested at ${head.slice(0, 12)}`)
  expect(view().reviews).toMatchObject([
    { state: 'approved', commit: head },
    { state: 'changes_requested', body: 'Say why', commit: head },
  ])
  board.press('s')
  await board.shows('search:')
  for (const letter of 'answer in:prompt') board.press(letter)
  board.press('\r')
  await board.shows('enter opens it')
  board.press('\r')
  await board.shows('to app-1')
  board.press('\x1b')
  await board.shows('enter attach')
  board.press('t')
  await board.shows('turns of app-1')
  board.press('\r')
  await board.shows('Go back to before turn')
  board.press('n')
  await board.shows('Nothing was done.')
  board.press('u')
  await board.shows('what people did')
  board.press('\x1b')
  await sleep(READING_MS)
  board.press('q')
  await waitFor('its end', board.isOver)
  if (process.env.AO_CAST) writeFileSync(process.env.AO_CAST, board.recording())
})

it('reviews line by line, and takes no pasted line for a word', async () => {
  const { headSha } = await openPull()
  const board = await openBoard(['--linear'])
  await board.shows('quit leaves')
  board.press('pulls\r')
  // Not the number alone, which the first list has as well.
  await board.shows('pulls: 1')
  board.press('1\r')
  await board.shows('to app-1')
  board.press('\x1b[200~approve\ryes\r\x1b[201~')
  await board.shows('2 lines came at once')
  expect(view().reviews).toEqual([])
  board.press('approve\r')
  await board.shows('yes or no?')
  await sleep(READING_MS)
  board.press('yes\r')
  await board.shows(`approved at ${headSha.slice(0, 12)}`)
  await sleep(100)
  board.press('changes Say why\r')
  await board.shows(`changes requested at ${headSha.slice(0, 12)}`)
  expect(view().reviews.map(({ state }) => state)).toEqual(['approved', 'changes_requested'])
})
