// Two approved changes that board a train and land, with the power cut anywhere on the way.
import { spawnSync } from 'node:child_process'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { ride } from './nth-ao-landing.ts'
import type { Life, Seen } from './power-loss.ts'
import { findings, message, removesLock, wording } from './power-next.ts'

const YAML = `agent: generic
agentConfig: { command: [sh, -c, 'exec cat', agent, "{promptFile}"] }
tracker: local
scm: { plugin: local, ci: { commands: [{ name: unit, run: 'test -e README.md' }] } }
landing: { mode: train }`
const CI = { ci: { commands: [{ name: 'unit', run: 'test -e README.md' }] } }
const CHANGES = ['one', 'two']

type Step = Life<AoHome>['steps'][number]

const stepsOf = (name: string, number: string): Step[] => [
  [`open ${name}`, (ao, env) => ao.run(['gh', 'pr', 'create', '--head', name, '--title', name, '--body', ''], env)],
  [`approve ${name}`, (ao, env) => ao.run(['pr', 'review', number, '--approve'], env)],
  [`land ${name}`, (ao, env) => ao.run(['land', 'add', number], env)],
]

export const TRAIN_LIFE: Life<AoHome> = {
  name: 'one ride of the train',
  async create(at) {
    const ao = await createAoHome({ at, projectYaml: YAML, files: { 'README.md': '# app\n' } })
    const script = CHANGES.map(
      (name) =>
        `git switch -q -c ${name} main && echo ${name} > ${name}.txt && git add ${name}.txt && git commit -q -m ${name}`,
    )
    const made = spawnSync('bash', ['-c', `${script.join(' && ')} && git switch -q main`], {
      cwd: ao.repo,
      env: ao.env,
    })
    if (made.status !== 0) throw new Error(String(made.stderr))
    return ao
  },
  steps: [...stepsOf('one', '1'), ...stepsOf('two', '2'), ['ride', (ao, env) => ride(ao, env, CI)]],
  async *check(ao, seen) {
    yield* acknowledged(seen)
    // The loop comes by again, whatever has landed: the checkout follows.
    const rides = CHANGES.filter((name) => seen.done.has(`land ${name}`))
    let last = ''
    for (let round = 0; round < 3 && (round === 0 || missing(ao, rides).length > 0); ) {
      const began = performance.now()
      const again = ride(ao, seen.env, CI)
      if (performance.now() - began > 20_000)
        yield `a ride takes ${performance.now() - began} ms: ${again.stdout}${again.stderr}`
      yield* wording(['ride'], again)
      // Several were left, and each answer names one.
      if (!removesLock(again)) round++
      last = `${again.stdout}${again.stderr}`.slice(0, 1_500)
    }
    yield* landed(ao, rides, last)
    yield* findings(ao, seen)
  },
}

async function* acknowledged({ done, ask }: Seen): AsyncGenerator<string> {
  for (const [args, pattern] of [
    [['land', 'ls', '--json'], null],
    [['pr', 'ls', '--all', '--json'], null],
    ...CHANGES.flatMap((name, at): Array<[string[], RegExp]> => {
      const view = ['pr', 'view', String(at + 1), '--json']
      const text = done.has('ride') ? /"state":"merged"/ : done.has(`approve ${name}`) ? /"review":"approved"/ : /./
      return done.has(`open ${name}`) ? [[view, text]] : []
    }),
  ] as Array<[string[], RegExp | null]>) {
    const answer = await ask(args)
    yield* wording(args, answer)
    if (answer.exitCode !== 0 || pattern?.test(answer.stdout) === false) yield message(args, answer)
  }
}

const gitOf =
  (ao: AoHome) =>
  (...args: string[]) =>
    spawnSync('git', args, { cwd: ao.repo, env: ao.env, encoding: 'utf8' }).stdout

function missing(ao: AoHome, names: readonly string[]): string[] {
  const files = gitOf(ao)('ls-tree', '--name-only', 'main').split('\n')
  return names.filter((name) => !files.includes(`${name}.txt`))
}

/** Each once, and the checkout is where the base branch is. */
function* landed(ao: AoHome, names: readonly string[], last: string): Generator<string> {
  const git = gitOf(ao)
  for (const name of missing(ao, names)) yield `main has no ${name}: ${last}`
  const subjects = git('log', '--format=%s', '--first-parent', 'main').split('\n')
  for (const name of names) {
    const times = subjects.filter((line) => line.startsWith(name)).length
    if (times !== 1) yield `${name} landed ${times} times: ${subjects.join(', ')}`
  }
  const changed = git('status', '--porcelain', '--untracked-files=no')
  if (changed !== '') yield `the checkout is changed: ${changed}`
}
