// From an issue to a merged pull request, with the power cut anywhere on the way.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import type { Life, Seen } from './power-loss.ts'
import { findings, inside, message, removesLock, wording } from './power-next.ts'

const YAML = `agent: generic
agentConfig: { command: [sh, -c, 'echo ready; exec cat', agent, "{promptFile}"] }
tracker: local
scm: { plugin: local, ci: { commands: [{ name: unit, run: 'test -e answer.txt' }] } }`

const ANSWER = 'forty-two\n'

export const FORGE_LIFE: Life<AoHome> = {
  name: 'one pull request',
  async create(at) {
    const ao = await createAoHome({ at, runtime: 'process', projectYaml: YAML, files: { 'README.md': '# app\n' } })
    // Consent is given in the first step.
    rmSync(join(ao.home, '.ao'), { recursive: true, force: true })
    rmSync(join(ao.home, '.agent-orchestrator'), { recursive: true, force: true })
    return ao
  },
  steps: [
    ['trust', (ao, env) => ao.run(['config', 'trust', '--yes'], env)],
    ['issue', (ao, env) => ao.run(['issue', 'new', 'Find the answer', '--body', 'to everything'], env)],
    ['spawn', (ao, env) => ao.run(['spawn', '1'], env)],
    [
      'commit',
      (ao, env) => inside(ao, env, `printf '${ANSWER}' > answer.txt && git add . && git commit --quiet -m answer`),
    ],
    ['open', (ao, env) => inside(ao, env, 'gh pr create --title "The answer" --body "Closes #1"')],
    ['checks', (ao, env) => ao.run(['pr', 'checks', '2', '--run'], env)],
    ['review', (ao, env) => ao.run(['pr', 'review', '2', '--approve'], env)],
    ['merge', (ao, env) => ao.run(['pr', 'merge', '2'], env)],
    ['comment', (ao, env) => ao.run(['issue', 'comment', '1', '--body', 'It is merged'], env)],
    ['export', (ao, env) => ao.run(['session', 'export', 'app-1', join(ao.home, 'app-1.tar.gz')], env)],
    ['cleanup', (ao, env) => ao.run(['session', 'cleanup'], env)],
  ],
  async *check(ao, seen) {
    if (!seen.done.has('trust')) return yield* beforeConsent(seen)
    yield* answers(seen)
    yield* landed(ao, seen)
    // The next run of checks removes what is left of the last one.
    if (seen.done.has('open') && !seen.done.has('merge')) {
      const checked = await seen.ask(['pr', 'checks', '2', '--run'])
      if (checked.exitCode !== 0 && seen.during !== 'merge') yield message(['pr', 'checks'], checked)
    }
    const isUnsynced = seen.done.has('commit') && !seen.done.has('open')
    if (!isUnsynced && seen.during !== 'commit') yield* findings(ao, seen)
  },
}

async function* beforeConsent({ ask }: Seen) {
  for (const args of [
    ['session', 'ls'],
    ['config', 'trust', '--yes'],
    ['spawn', '--prompt', 'next'],
  ]) {
    const answer = await ask(args)
    if (answer.exitCode !== 0) yield message(args, answer)
  }
}

/** What was acknowledged, and the commands that show it. */
const SHOWN: Array<[step: string, args: string[], text: RegExp]> = [
  ['trust', ['config', 'trust', '--json'], /"trusted":\[\]/],
  ['issue', ['issue', 'ls', '--state', 'all', '--json'], /Find the answer/],
  ['spawn', ['session', 'show', 'app-1', '--json'], /feat\/issue-1/],
  ['open', ['pr', 'ls', '--all', '--json'], /"number":2/],
  ['review', ['pr', 'view', '2', '--json'], /"review":"approved"/],
  ['merge', ['pr', 'view', '2', '--json'], /"state":"merged"/],
  ['comment', ['issue', 'show', '1', '--json'], /It is merged/],
]

async function* answers({ done, random, ask }: Seen) {
  const shown = SHOWN.filter(([step]) => done.has(step))
  // In any order: whichever comes first repairs what has to be repaired.
  for (const [, args, text] of shown.sort(() => random.below(3) - 1)) {
    if (args[1] === 'show' && args[0] === 'session' && done.has('cleanup')) continue
    const answer = await ask(args)
    yield* wording(args, answer)
    if (answer.exitCode !== 0 || !text.test(answer.stdout)) yield message(args, answer)
  }
  const args = ['spawn', '--prompt', 'next']
  const answer = await ask(args)
  if (answer.exitCode !== 0) yield message(args, answer)
}

async function* landed(ao: AoHome, { done, during, ask }: Seen) {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: ao.repo, env: ao.env, encoding: 'utf8' })
  const log = git('log', '--oneline', 'main')
  if (log.status !== 0) yield `git log main: ${log.stderr}`
  if (done.has('merge') && git('show', 'main:answer.txt').stdout !== ANSWER) yield 'main lost the merged file'
  const file = join(ao.repo, 'answer.txt')
  const content = existsSync(file) ? readFileSync(file, 'utf8') : null
  if (done.has('merge') && content !== ANSWER) yield `the checkout has ${JSON.stringify(content)}`
  const changed = git('status', '--porcelain', '--untracked-files=no').stdout
  if (during !== 'merge' && changed !== '') yield `the checkout is changed: ${changed}`
  if (during === 'merge') {
    let again = await ask(['pr', 'merge', '2'])
    // Several were left, and each answer names one.
    while (removesLock(again)) again = await ask(['pr', 'merge', '2'])
    const isMerged = / is merged$/m.test(`${again.stdout}${again.stderr}`)
    if (again.exitCode !== 0 && !isMerged) yield message(['pr', 'merge', '2'], again)
    if (git('show', 'main:answer.txt').stdout !== ANSWER) yield 'a repeated merge merged nothing'
    const left = git('status', '--porcelain', '--untracked-files=no').stdout
    if (left !== '') yield `the checkout stays changed: ${left}`
  }
  if (done.has('export') && !done.has('cleanup')) {
    const args = ['session', 'import', join(ao.home, 'app-1.tar.gz')]
    const answer = await ask(args)
    if (answer.exitCode !== 0) yield message(args, answer)
  }
}
