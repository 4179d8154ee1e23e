// An agent goes back within its conversation: a stand-in for Claude Code that keeps its transcripts as that does, and continues the one
// it is given. Through the real command, with kill -9 between the steps; the real programs are in test/real/going-back.real.ts.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { currentProcess, formatIdentity } from '../../src/lib/process/process-identity.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

/** Notes everything that its conversation holds whenever it is told something, and draws the input line of Claude Code. */
const CLAUDE = `#!${process.execPath}
const fs = require('node:fs'), { join } = require('node:path'), { createInterface } = require('node:readline')
const args = process.argv.slice(2)
const after = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined)
const sessionId = after('--resume') ?? after('--session-id')
const store = join(process.env.HOME, '.claude', 'projects', process.cwd().replace(/[^A-Za-z0-9]/g, '-'))
fs.mkdirSync(store, { recursive: true })
const file = join(store, sessionId + '.jsonl')
const records = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\\n').map((line) => JSON.parse(line)) : []
let shown = ''
function add(type, message) {
  const uuid = 'u' + records.length
  const parentUuid = records.at(-1)?.uuid ?? null
  const record = { type, uuid, parentUuid, sessionId, cwd: process.cwd(), timestamp: new Date().toISOString(), message }
  records.push(record)
  fs.appendFileSync(file, JSON.stringify(record) + '\\n')
}
function take(text) {
  add('user', { role: 'user', content: text })
  add('assistant', { role: 'assistant', content: [{ type: 'text', text: 'ok' }], stop_reason: 'end_turn' })
  const heard = records.flatMap(({ type, message }) => (type === 'user' ? message.content : []))
  fs.appendFileSync(join(process.env.HOME, 'heard'), JSON.stringify(heard) + '\\n')
  shown = text
}
const draw = () => process.stdout.write('\\u001b[2J\\u001b[H' + shown.slice(0, 60) + '\\n' + '─'.repeat(80) + '\\n❯ \\n' + '─'.repeat(80) + '\\u001b[3;3H')
process.on('SIGTERM', () => {
  // What it wrote down is no longer there once it has ended.
  if (fs.existsSync(join(process.env.HOME, 'spoils'))) fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(process.cwd(), '/etc'))
  if (fs.existsSync(join(process.env.HOME, 'forgets'))) fs.rmSync(store, { recursive: true })
  process.exit(0)
})
if (args.includes('--')) take(args.at(-1))
draw()
createInterface({ input: process.stdin }).on('line', (line) => { if (line.trim() !== '') take(line.trim()); draw() })
`

let world: AoWorld

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({
    config: 'defaults: { notifiers: [], runtime: process }\nprojects: { app: { path: ., agent: claude-code } }\n',
  })
  const bin = join(world.temp.home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'claude'), CLAUDE, { mode: 0o755 })
  world.temp.env.PATH = `${bin}:${world.temp.env.PATH}`
  await world.ao(['spawn', '--prompt', 'plant a tulip'])
  await untilHeard('tulip')
  writeFileSync(join(worktree(), 'work'), 'tulip')
  await say('plant a rose')
  writeFileSync(join(worktree(), 'work'), 'rose')
  await say('plant an aster')
})
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const worktree = (id = 'app-1') => join(world.temp.home, '.worktrees', 'app', id)
const work = (id?: string) => readFileSync(join(worktree(id), 'work'), 'utf8')
/** What the conversation holds that was told something last: one word for each message. */
const flowers = () => {
  const file = join(world.temp.home, 'heard')
  const last = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').at(-1) : undefined
  return (JSON.parse(last ?? '[]') as string[]).map((text) => /plant an? (\w+)/.exec(text)?.[1] ?? '?')
}
const untilHeard = (flower: string) => waitFor(flower, () => flowers().at(-1) === flower)
async function say(text: string): Promise<void> {
  const sent = await world.ao(['send', 'app-1', text])
  expect(sent.code, sent.stderr).toBe(0)
  await untilHeard(text.split(' ').at(-1)!)
}
const rewind = (turn: number, ...more: string[]) =>
  world.ao(['session', 'rewind', 'app-1', '--to', String(turn), ...more])
const transcripts = () => {
  const store = join(world.temp.home, '.claude', 'projects')
  const names = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
  return new Map(names.map((name) => [name, readFileSync(join(store, name), 'utf8')]))
}

it('knows nothing of what came later, keeps its own files, and goes forward again', async () => {
  const before = transcripts()
  const { stdout } = await rewind(2)
  expect(stdout).toContain('Its agent has gone back, too')
  expect(work()).toBe('tulip')
  for (const [name, text] of before) expect(transcripts().get(name)).toBe(text)
  await say('plant a dahlia')
  expect(flowers()).toEqual(['tulip', 'dahlia'])
  // A restore stays there.
  await world.ao(['session', 'kill', 'app-1'])
  await world.ao(['session', 'restore', 'app-1'])
  await say('plant a lily')
  expect(flowers()).toEqual(['tulip', 'dahlia', 'lily'])
  expect((await rewind(4)).stdout).toContain('Its agent has gone back, too')
  await say('plant a poppy')
  expect([flowers(), work()]).toEqual([['tulip', 'rose', 'aster', 'poppy'], 'rose'])
  // Into a second session from there, in a conversation of its own.
  const forked = await world.json<{ conversation: string }>(['session', 'fork', 'app-1', '--at', '3'])
  expect(forked.conversation).toBe('copied')
  await waitFor('its task', () => flowers().length === 3 && !flowers().includes('aster'))
  expect([flowers().slice(0, 2), work('app-2')]).toEqual([['tulip', 'rose'], 'rose'])
})

it('says why its agent still remembers', async () => {
  expect((await rewind(1)).stdout).toContain(
    'remembers what came later, because its conversation begins with that message',
  )
  expect((await rewind(2, '--files-only')).stdout).toContain('because only files were to go back')
  // Written by somebody who wants another conversation to be continued here.
  const [[name, text]] = [...transcripts()] as [[string, string]]
  writeFileSync(join(world.temp.home, '.claude', 'projects', name), text.replaceAll(worktree(), '/etc'))
  expect((await rewind(2)).stdout).toContain('because its records name another directory')
  await say('plant a dahlia')
  expect(flowers()).toEqual(['tulip', 'rose', 'aster', 'dahlia'])
})

it('goes forward to what was said when it was rewound, and back to the turn that was meant', async () => {
  const { saved } = JSON.parse((await rewind(2, '--files-only', '--json')).stdout)
  expect((await world.ao(['undo', '--dry-run'])).stdout).toContain('--files-only')
  await say('plant a dahlia')
  // Its conversation went on after that rewind.
  expect((await rewind(saved)).stdout).toContain('Its agent has gone back, too')
  await say('plant a lily')
  expect(flowers()).toEqual(['tulip', 'rose', 'aster', 'lily'])
  // The words of its third turn once more, in another conversation.
  await rewind(2)
  await say('plant an aster')
  await rewind(3)
  await say('plant a poppy')
  expect([flowers(), work()]).toEqual([['tulip', 'rose', 'poppy'], 'rose'])
})

it('stays in its conversation when it had ended, and only files were to go back in the end', async () => {
  await world.ao(['session', 'kill', 'app-1'])
  const { saved } = JSON.parse((await rewind(2, '--json')).stdout)
  await rewind(saved, '--files-only')
  await world.ao(['session', 'restore', 'app-1'])
  await say('plant a dahlia')
  expect([flowers(), work()]).toEqual([['tulip', 'rose', 'aster', 'dahlia'], 'rose'])
})

it('says that it did not go back when its records changed meanwhile', async () => {
  writeFileSync(join(world.temp.home, 'spoils'), '')
  expect((await rewind(2)).stdout).toContain('still remembers what came later, because its records changed')
  await say('plant a dahlia')
  expect([flowers(), work()]).toEqual([['tulip', 'rose', 'aster', 'dahlia'], 'tulip'])
})

it('that has ended goes back with its next start', async () => {
  await world.ao(['session', 'kill', 'app-1'])
  expect((await rewind(2)).stdout).toContain('not running; with its next start it goes back, too')
  expect((await world.ao(['why', 'app-1'])).stdout).toContain('goes back to before turn 2 when it is started next')
  await world.ao(['session', 'restore', 'app-1'])
  await say('plant a dahlia')
  expect(flowers()).toEqual(['tulip', 'dahlia'])
})

it.each(['rewind.announced', 'rewind.recorded', 'go-back.ended', 'restore.announced', 'restore.runtime-started'])(
  'killed at %s, it has the old conversation or the new one, with the files of that',
  async (point) => {
    const killed = await world.ao(['session', 'rewind', 'app-1', '--to', '2'], { env: { AO_FAILPOINT: point } })
    expect(killed.signal).toBe('SIGKILL')
    // Whatever the next command is.
    await world.ao(['session', 'rewind', 'app-1', '--to', '99'])
    await world.ao(['session', 'restore', 'app-1'])
    await say('plant a dahlia')
    expect([flowers(), work()]).toEqual([['tulip', 'dahlia'], 'tulip'])
    // Both are there to go back to.
    const { turns } = await world.json<{ turns: Array<{ turn: number; source: string }> }>([
      'session',
      'turns',
      'app-1',
    ])
    expect((await rewind(turns.find(({ source }) => source === 'rewind')!.turn)).stdout).toContain('has gone back, too')
    await say('plant a lily')
    expect([flowers(), work()]).toEqual([['tulip', 'rose', 'aster', 'lily'], 'rose'])
  },
)

it.each([
  ['rewind.recorded', 'send'],
  ['go-back.ended', 'send'],
  ['go-back.ended', 'restore'],
])('killed at %s, the next command starts its agent again: %s', async (point, command) => {
  await world.ao(['session', 'rewind', 'app-1', '--to', '2'], { env: { AO_FAILPOINT: point } })
  if (command === 'restore') expect((await world.ao(['session', 'restore', 'app-1'])).code).toBe(0)
  await say('plant a dahlia')
  expect([flowers(), work()]).toEqual([['tulip', 'dahlia'], 'tulip'])
})

it('takes messages while it is between two agents, and has not ended', async () => {
  await world.ao(['session', 'rewind', 'app-1', '--to', '2'], { env: { AO_FAILPOINT: 'go-back.ended' } })
  const data = join(world.temp.home, '.agent-orchestrator')
  const record = readdirSync(data, { recursive: true, encoding: 'utf8' }).find((name) => /sessions\/app-1$/.test(name))!
  const setReturner = (who: string) => {
    const text = readFileSync(join(data, record), 'utf8')
    expect(text).toMatch(/^returner=/m)
    writeFileSync(join(data, record), text.replace(/^returner=.*$/m, `returner=${who}`))
  }
  // Somebody is at it: another process than that of the command.
  setReturner(formatIdentity(currentProcess()))
  expect((await world.runAlone(['send', 'app-1', 'plant a dahlia', '--no-wait'])).stdout).toContain(
    'goes back in its conversation',
  )
  setReturner('nobody')
  expect((await world.ao(['doctor'])).stdout).toContain('its rewind was interrupted')
  await world.ao(['doctor', '--fix'])
  await untilHeard('dahlia')
  expect(flowers()).toEqual(['tulip', 'dahlia'])
})

it('is finished by the loop, too', async () => {
  await world.ao(['session', 'rewind', 'app-1', '--to', '2'], { env: { AO_FAILPOINT: 'go-back.ended' } })
  await world.ao(['start'])
  const status = async () => (await world.json<{ session: { status: string } }>(['session', 'show', 'app-1'])).session
  await waitFor('its agent', async () => (await status()).status !== 'killed')
  await say('plant a dahlia')
  expect(flowers()).toEqual(['tulip', 'dahlia'])
})

it('a fork that was killed while it began is where it is to be', async () => {
  await world.ao(['session', 'fork', 'app-1', '--at', '3'], { env: { AO_FAILPOINT: 'restore.runtime-started' } })
  await waitFor('its task', () => flowers().length === 3 && !flowers().includes('aster'))
  const sent = await world.ao(['send', 'app-2', 'plant a dahlia'])
  expect(sent.stdout).not.toContain('goes back')
  await untilHeard('dahlia')
  expect(flowers().slice(0, 2)).toEqual(['tulip', 'rose'])
  expect(
    (await world.json<{ session: { metadata: Record<string, string> } }>(['session', 'show', 'app-2'])).session,
  ).not.toHaveProperty('metadata.conversationTo')
})

it('says so when its agent began anew', async () => {
  writeFileSync(join(world.temp.home, 'forgets'), '')
  expect((await rewind(2)).stdout).toContain('Its agent began a new conversation')
})
