// Commands of ao for `nth-failure.ts` on a change's way to the base branch.
import { spawnSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../support/git-repo.ts'
import { testProgram } from '../support/test-program.ts'
import { type AoStage, again, ok } from './nth-ao-stage.ts'
import type { Command } from './nth-failure.ts'

const BRANCH = 'change'
const CREATE = ['gh', 'pr', 'create', '--head', BRANCH, '--title', BRANCH, '--body', '']

async function branch({ ao }: AoStage): Promise<void> {
  git(ao.repo, ao.env, 'switch', '--quiet', '-c', BRANCH)
  writeFileSync(join(ao.repo, 'change.txt'), 'changed\n')
  git(ao.repo, ao.env, 'add', 'change.txt')
  git(ao.repo, ao.env, 'commit', '--quiet', '-m', BRANCH)
  git(ao.repo, ao.env, 'switch', '--quiet', 'main')
}

async function pull(stage: AoStage): Promise<void> {
  await branch(stage)
  await ok(stage.ao, CREATE)
}

const CI = { ci: { commands: [{ name: 'unit', run: 'test -e README.md' }] } }

/** Approved and green, in a project that has a train. */
async function approved(stage: AoStage): Promise<void> {
  const { ao } = stage
  const config = join(ao.repo, 'agent-orchestrator.yaml')
  appendFileSync(config, `    landing: { mode: train }\n`)
  await pull(stage)
  await ok(ao, ['pr', 'review', '1', '--approve'])
}

const hasLanded = ({ ao }: AoStage) => git(ao.repo, ao.env, 'ls-tree', '--name-only', 'main').includes('change.txt')

function* checkout({ ao }: AoStage): Generator<string> {
  const changed = git(ao.repo, ao.env, 'status', '--porcelain', '--untracked-files=no')
  if (changed !== '') yield `the checkout is left changed: ${changed}`
}

async function pulls(stage: AoStage): Promise<Array<{ number: number; state: string; review: string }>> {
  const { stdout } = await ok(stage.ao, ['pr', 'ls', '--all', '--json'])
  return (JSON.parse(stdout) as { pullRequests: Array<{ number: number; state: string; review: string }> }).pullRequests
}

export const LANDING: Array<Command<AoStage>> = [
  {
    name: 'gh pr create',
    async prepare(stage) {
      await stage.as('with a branch', () => branch(stage))
      return CREATE
    },
    async *check(stage, answer, args) {
      if (answer.exitCode === 0 && (await pulls(stage)).length !== 1) yield 'there is no pull request'
      yield* again(stage, args, /already exists/)
      if ((await pulls(stage)).length !== 1) yield `repeated, there are ${(await pulls(stage)).length}`
    },
  },
  {
    name: 'approve',
    async prepare(stage) {
      await stage.as('with a pull request', () => pull(stage))
      return ['pr', 'review', '1', '--approve']
    },
    async *check(stage, answer, args) {
      const review = async () => (await pulls(stage))[0]?.review
      if (answer.exitCode === 0 && (await review()) !== 'approved') yield `its review is ${await review()}`
      yield* again(stage, args, /^$/)
      if ((await review()) !== 'approved') yield `repeated, its review is ${await review()}`
    },
  },
  {
    name: 'merge',
    async prepare(stage) {
      await stage.as('with a pull request', () => pull(stage))
      return ['pr', 'merge', '1']
    },
    async *check(stage, answer, args) {
      if (answer.exitCode === 0 && !hasLanded(stage)) yield 'the base branch does not have it'
      yield* again(stage, args, /is merged/)
      if (!hasLanded(stage)) yield 'repeated, the base branch does not have it'
      yield* checkout(stage)
    },
  },
  {
    name: 'land add',
    async prepare(stage) {
      await stage.as('with a train', () => approved(stage))
      return ['land', 'add', '1']
    },
    async *check(stage, answer, args) {
      const isAboard = async () => /"pull":1/.test((await ok(stage.ao, ['land', 'ls', '--json'])).stdout)
      if (answer.exitCode === 0 && !(await isAboard())) yield 'it is not aboard'
      yield* again(stage, args, /aboard/)
      if (!(await isAboard())) yield 'repeated, it is not aboard'
    },
  },
  {
    name: 'train',
    async prepare(stage) {
      await stage.as('with a rider', async () => {
        await approved(stage)
        await ok(stage.ao, ['land', 'add', '1'])
      })
      return ['ride']
    },
    play: ({ ao }, _args, env) => ride(ao, env),
    async *check(stage) {
      // It waits for the next tick with whatever did not work, and that is no failure of the loop's.
      for (let round = 0; round < 3 && !hasLanded(stage); round++) ride(stage.ao, {})
      if (!hasLanded(stage)) yield 'repeated, the base branch does not have it'
      const found = (await pulls(stage))[0]
      if (found?.state !== 'merged') yield `the pull request is ${found?.state}`
      yield* checkout(stage)
    },
  },
]

/** What the loop does for a train, until there is nothing to do. */
export function ride(
  { home, repo, env }: Pick<AoStage['ao'], 'home' | 'repo' | 'env'>,
  more: NodeJS.ProcessEnv,
  options: unknown = CI,
) {
  const project = { id: 'app', name: 'app', path: repo, sessionPrefix: 'app', defaultBranch: 'main' }
  const given = { project, dataDir: join(home, '.agent-orchestrator'), configDir: repo, options }
  const done = spawnSync(process.execPath, [testProgram('run-train'), JSON.stringify(given)], {
    cwd: repo,
    env: { ...env, USER: 'sam', ...more },
    encoding: 'utf8',
    timeout: 120_000,
    killSignal: 'SIGKILL',
  })
  return { stdout: done.stdout, stderr: done.stderr, exitCode: done.status, signal: done.signal }
}
