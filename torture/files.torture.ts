// npm run torture -- files: one of ao's own files is damaged or replaced, and commands run beside it. None hangs or
// crashes, and the other session is looked after.
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type AoWorld, buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { type Campaign, campaign, triesOr } from './campaign.ts'

buildAo()

const TIMEOUT_MS = 20_000

type Damage = (path: string, content: Buffer, random: Campaign['random']) => unknown
const bytes = (count: number, random: Campaign['random']) =>
  Buffer.from(Array.from({ length: count }, () => random.below(256)))

const DAMAGES: Record<string, Damage> = {
  empty: (path) => writeFileSync(path, ''),
  half: (path, content) => writeFileSync(path, content.subarray(0, content.length >> 1)),
  'cut anywhere': (path, content, random) => writeFileSync(path, content.subarray(0, random.below(content.length + 1))),
  random: (path, content, random) => writeFileSync(path, bytes(content.length + 1, random)),
  zeros: (path, content) => writeFileSync(path, Buffer.alloc(content.length + 1)),
  'flipped bits': (path, content, random) => {
    const copy = Buffer.from(content)
    for (let n = 0; n < 5 && copy.length > 0; n++) {
      const at = random.below(copy.length)
      copy[at] = copy[at]! ^ (1 << random.below(8))
    }
    writeFileSync(path, copy)
  },
  '100 MB': (path, content) => {
    writeFileSync(path, content)
    truncateSync(path, 100_000_000)
  },
  'a line of 20 MB': (path, content) => writeFileSync(path, Buffer.concat([content, Buffer.alloc(20_000_000, 120)])),
  'other line ends': (path, content) =>
    writeFileSync(path, content.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  'text that is not JSON': (path) => writeFileSync(path, 'hello\n{"a":\n'),
  'a link to another file': (path) => symlinkSync('/etc/passwd', path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a link to a device': (path) => symlinkSync('/dev/zero', path),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  'a directory': (path) => mkdirSync(path),
  gone: () => undefined,
}

const COMMANDS = [
  ['session', 'ls', '--all', '--json'],
  ['status'],
  ['why', 'app-1'],
  ['events', 'app-1'],
  ['session', 'show', 'app-1'],
  ['session', 'cleanup', '--dry-run'],
  ['doctor', '--json'],
  ['send', 'app-1', 'hello', '--no-wait'],
  ['issue', 'ls'],
  ['pr', 'ls'],
]

campaign('damaged files', async (one) => {
  const config = 'port: 0\nprojects:\n  app:\n    path: .\n    agent: demo\n    tracker: local\n    scm: local\n'
  const world = createAoWorld({ config })
  one.afterwards(async () => {
    await world.ao(['stop', '--sessions'])
    return world.temp.cleanup()
  })
  await world.ao(['issue', 'new', 'First'])
  for (const text of ['one', 'two']) await world.ao(['spawn', '--prompt', `demo: say ${text}\ndemo: ask Which?`])
  for (let n = 0; n < triesOr(100); n++) await damageOne(world, one)
  for (const args of COMMANDS) {
    const { code, stderr } = await world.ao(args)
    if (code !== 0) one.broken(`at the end ao ${args.join(' ')} exits with ${code}: ${stderr}`)
  }
})

async function damageOne(world: AoWorld, one: Campaign): Promise<void> {
  const path = one.random.pick(ownFiles(world))
  const kind = one.random.pick(Object.keys(DAMAGES))
  const kept = `${world.temp.home}/kept`
  const content = readFileSync(path)
  renameSync(path, kept)
  DAMAGES[kind]!(path, content, one.random)
  const commands = [COMMANDS[0]!, one.random.pick(COMMANDS), one.random.pick(COMMANDS)]
  const where = `${path.slice(world.temp.home.length)} is ${kind}`
  for (const args of commands) {
    one.tried('commands')
    const { stdout, stderr, signal } = await world.ao(args, { timeoutMs: TIMEOUT_MS })
    const label = `${where}: ao ${args.join(' ')}`
    if (signal) one.broken(`${label}: no answer in ${TIMEOUT_MS / 1000} s`)
    if (/went wrong inside|\n {4}at /.test(stderr)) one.broken(`${label}: ${stderr}`)
    if (args === COMMANDS[0] && path.includes('app-1') && !signal && !seesOther(stdout)) {
      one.broken(`${label}: app-2 is not listed as it is: ${stdout}${stderr}`)
    }
  }
  rmSync(path, { recursive: true, force: true })
  renameSync(kept, path)
  one.judged()
}

function ownFiles(world: AoWorld): string[] {
  return ['.agent-orchestrator', '.ao']
    .flatMap((name) => readdirSync(join(world.temp.home, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('/bin'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function seesOther(stdout: string): boolean {
  const { sessions } = JSON.parse(stdout) as { sessions: Array<{ id: string; status: string }> }
  return sessions.some(({ id, status }) => id === 'app-2' && status !== 'errored')
}
