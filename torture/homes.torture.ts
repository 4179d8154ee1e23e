// npm run torture -- homes: homes and repositories with odd names, homes that are none, programs that are missing.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAoHome } from '../test/support/ao-home.ts'
import { createRepo } from '../test/support/git-repo.ts'
import { AO, buildAo } from '../test/support/run-ao.ts'
import { createTempHome } from '../test/support/temp-home.ts'
import { type Campaign, campaign, triesOr } from './campaign.ts'

buildAo()

const INTERNAL = /went wrong inside/

const ODD = [
  'with space',
  'ünïcödé 日本',
  "it's",
  'say "hi"',
  '$(touch canary)',
  '`touch canary`',
  '#{pane_id}',
  '#(touch canary)',
  '-rf',
  'a;b&c|d',
  '%s%n',
  'back\\slash',
  '*?[x]',
  '~',
]
const CONFIG =
  'projects:\n  app:\n    path: .\n    agent: generic\n    agentConfig: { command: [sh, -c, exec cat, agent, "{promptFile}"] }\n'

campaign('odd homes', async (one) => {
  const tryEnvironment = await createOddEnvironments(one)
  for (let n = 0; n < triesOr(14); n++) {
    for (let times = 0; times < ENVIRONMENTS_A_LIFE; times++) tryEnvironment()
    const temp = createTempHome()
    const name = one.random.pick(ODD)
    const home = join(temp.home, one.random.pick(ODD))
    mkdirSync(home)
    writeFileSync(join(home, '.gitconfig'), readFileSync(join(temp.home, '.gitconfig')))
    const env = { ...temp.env, HOME: home }
    const repo = createRepo(join(home, name), env)
    writeFileSync(join(repo, 'agent-orchestrator.yaml'), CONFIG)
    const run = (...args: string[]) => spawnSync(process.execPath, [AO, ...args], { cwd: repo, env, encoding: 'utf8' })
    const work = join(home, '.worktrees', 'app', 'app-1', 'work.txt')
    const steps: Array<() => { status: number | null; stderr: string }> = [
      () => run('config', 'trust', '--yes'),
      () => run('spawn', '--prompt', 'hello'),
      () => run('send', 'app-1', 'more', '--no-wait'),
      () => spawnSync('sh', ['-c', 'printf work > "$0"', work], { encoding: 'utf8' }),
      () => run('session', 'kill', 'app-1', '--purge'),
      () => run('session', 'restore', 'app-1'),
      () => run('start'),
      () => run('stop'),
      () => run('doctor'),
      () => spawnSync('grep', ['-q', 'work', work], { encoding: 'utf8' }),
      () => run('session', 'kill', 'app-1', '--purge'),
    ]
    one.tried('lives')
    for (const [step, act] of steps.entries()) {
      const { status, stderr } = act()
      if (status !== 0) one.broken(`HOME ${home}, repository ${name}: step ${step} exited with ${status}: ${stderr}`)
    }
    const canaries = spawnSync('find', [temp.home, '-name', 'canary'], { encoding: 'utf8' }).stdout
    if (canaries !== '') one.broken(`HOME ${home}, repository ${name}: something was executed: ${canaries}`)
    for (const stray of await temp.cleanup()) one.broken(`HOME ${home}: still running: ${stray}`)
    one.judged()
  }
})

/** Each is one command, and a life eleven. */
const ENVIRONMENTS_A_LIFE = 6

/** Homes that are none and programs that are missing: an answer in words, never a crash. */
async function createOddEnvironments(one: Campaign): Promise<() => void> {
  const ao = await createAoHome()
  one.afterwards(() => ao.cleanup())
  const file = join(ao.home, 'a-file')
  writeFileSync(file, '')
  const without = { TMPDIR: join(ao.home, 'no-such-directory') }
  const bare = join(ao.home, 'no-programs')
  mkdirSync(bare)
  const environments: Record<string, NodeJS.ProcessEnv> = {
    'no HOME': { HOME: undefined },
    'relative HOME': { HOME: 'relative' },
    'HOME is a file': { HOME: file },
    'HOME does not exist': { HOME: join(ao.home, 'nowhere') },
    'no TMPDIR': without,
    'no programs': { PATH: bare },
    'newline in HOME': { HOME: join(ao.home, 'a\nb') },
  }
  const commands = [
    ...[['session', 'ls'], ['session', 'ls', '--all', '--json'], ['spawn', '--prompt', 'x'], ['status'], ['doctor']],
    ...[['session', 'show', 'app-1'], ['session', 'cleanup'], ['events', 'app-1'], ['config', 'show'], ['disk']],
    ...[['send', 'app-1', 'hello', '--no-wait'], ['session', 'kill', 'app-1'], ['config', 'trust', '--yes'], ['stop']],
  ]
  return () => {
    const [what, env] = one.random.pick(Object.entries(environments))
    const args = one.random.pick(commands)
    const attempt = one.tried('odd environments')
    const { stdout, stderr, signal } = ao.run(args, env)
    const made = /^SESSION=(.*)$/m.exec(stdout)?.[1]
    if (made !== undefined) ao.run(['session', 'kill', made, '--purge'], env)
    if (signal || INTERNAL.test(stderr)) attempt.broken(`${what}: ao ${args.join(' ')}: ${signal ?? stderr}`)
  }
}
