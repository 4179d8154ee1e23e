// The day with 40 sessions again, in the terminal board: a pane of 80×24 and keys only. What they did is read from the records.
// Four sessions are alive; the others have ended, and fill the list as they do after a month.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const SESSIONS = 40
const PROJECT = [
  'agent: demo',
  'scm: { plugin: local }',
  'reactions: { approved-and-green: { auto: false }, agent-idle: { auto: false } }',
].join('\n')
const SCRIPT = '```demo\nwrite answer.txt good\ncommit Add the answer\npr Add the answer\nfinish Done.\n```\n'
/** After it a key did not count, and is pressed again, as a person would. */
const AGAIN_MS = 3_000

let ao: AoHome
let steps: Record<string, number>
let pressed = 0
let isOpen = false

beforeAll(buildAo)
afterEach(async () => {
  // A board that was left with q is about to end its server by itself.
  if (isOpen) spawnSync('tmux', ['-L', 'user', 'kill-server'], { env: ao.env })
  for (const id of ao.tmuxSessions()) ao.run(['session', 'kill', id, '--purge', '--force'])
  ao.run(['stop'])
  expect(await ao.cleanup()).toEqual([])
})

function tmux(...args: string[]): string {
  return execFileSync('tmux', ['-L', 'user', '-f', '/dev/null', ...args], {
    cwd: ao.repo,
    env: { ...ao.env, ENV: '' },
    encoding: 'utf8',
  })
}

function sees(pattern: RegExp, timeoutMs?: number): Promise<string> {
  return waitFor(
    `${pattern} on the screen`,
    () => {
      const text = tmux('capture-pane', '-p', '-t', '=board:').trimEnd()
      if (pattern.test(text)) return text
      throw new Error(text)
    },
    timeoutMs,
  )
}

/** A key and what it leads to. One that the board refused, and said so, is pressed again and does not count. */
async function press(key: string, until: RegExp): Promise<string> {
  pressed++
  for (let tries = 1; ; tries++) {
    tmux('send-keys', '-t', '=board:', key)
    try {
      return await sees(until, AGAIN_MS)
    } catch (error) {
      if (tries === 5 || !/too quick|press it again/.test(String(error))) return sees(until)
    }
  }
}

/** By words of its title: the letters of `app-1` are in `app-134` too. */
async function find(text: string, id: string): Promise<void> {
  await press('/', /\/_$/m)
  for (const letter of text) tmux('send-keys', '-l', '-t', '=board:', letter)
  await sees(new RegExp(`/${text}_$`, 'm'))
  await press('Enter', new RegExp(`^> ${id}\\b`, 'm'))
}

function did(step: string): void {
  steps[step] = pressed
  pressed = 0
}

const record = (id: string) => readFileSync(ao.sessionFile(id), 'utf8')
/** What each session needs: its kind by its id. */
function needs(): Record<string, string> {
  const { items } = JSON.parse(ao.ok(['next', '--json'])) as {
    items: Array<{ kind: string; sessions: Array<{ id: string }> }>
  }
  return Object.fromEntries(items.flatMap(({ kind, sessions }) => sessions.map(({ id }) => [id, kind])))
}
const waits = (want: Record<string, string | undefined>) =>
  waitFor(JSON.stringify(want), () => {
    const now = needs()
    if (Object.entries(want).every(([id, kind]) => now[id] === kind)) return true
    throw new Error(JSON.stringify(now))
  })

/** Ended like this one, each with its own name. */
function endedLike(id: string, count: number): void {
  const ended = record(id)
  for (let n = 0; n < count; n++) {
    const other = `app-${100 + n}`
    writeFileSync(ao.sessionFile(other), ended.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), other), { mode: 0o600 })
  }
}

it('by keyboard among 40 sessions: find, answer, allow, merge, put off', { timeout: 180_000 }, async () => {
  ao = await createAoHome({ projectYaml: PROJECT })
  steps = {}
  ao.ok(['issue', 'new', 'Add the answer', '--body-file', '-'], SCRIPT)
  ao.ok(['spawn', '1'])
  ao.spawn('demo: permission rm -rf build\ndemo: finish Removed.')
  ao.spawn('demo: ask Which colour?\ndemo: finish It is painted.')
  ao.spawn('demo: finish Nothing was missing.')
  const over = ao.spawn('demo: finish Over.')
  ao.ok(['session', 'kill', over])
  endedLike(over, SESSIONS - 5)
  ao.ok(['start'])
  await waitFor('the pull request', () => record('app-1').includes('prHead='), 60_000)
  ao.ok(['pr', 'review', '2', '--approve'])
  await waits({ 'app-1': 'merge', 'app-2': 'permission', 'app-3': 'question', 'app-4': 'finished' })

  tmux('new-session', '-d', '-s', 'board', '-x', '80', '-y', '24', `'${process.execPath}' '${ao.program}' top`)
  isOpen = true
  await sees(/1 Queue/)
  await press('2', new RegExp(`\\[2 Sessions ${SESSIONS}\\]`))
  did('open the list of all')

  await find('colour', 'app-3')
  await press('Space', /to app-3 ─[\s\S]*reply: _/)
  for (const letter of 'green') tmux('send-keys', '-l', '-t', '=board:', letter)
  await sees(/reply: green_/)
  await press('Enter', /^app-3: (?:seen|handed over)/m)
  await waits({ 'app-3': 'finished' })
  did('answer a question')

  await press('Escape', /Train \d+ *$/m)
  await find('build', 'app-2')
  await press('y', /Permission needed: rm -rf build/)
  expect(needs()).toMatchObject({ 'app-2': 'permission' })
  await press('y', /^app-2: /m)
  await waits({ 'app-2': 'finished' })
  did('allow what is shown')

  await press('Escape', /Train \d+ *$/m)
  await find('answer', 'app-1')
  await press('m', /Merge|merge/)
  await press('y', /^app-1: merged/m)
  expect(JSON.parse(ao.ok(['pr', 'view', '2', '--json']))).toMatchObject({ pullRequest: { state: 'merged' } })
  did('merge')

  await press('Escape', /Train \d+ *$/m)
  await find('missing', 'app-4')
  await press('z', /^app-4: put off for an hour/m)
  await waits({ 'app-4': undefined })
  did('put off')
  tmux('send-keys', '-t', '=board:', 'q')

  expect(steps).toEqual({
    'open the list of all': 1,
    'answer a question': 4,
    'allow what is shown': 5,
    merge: 5,
    'put off': 4,
  })
})
