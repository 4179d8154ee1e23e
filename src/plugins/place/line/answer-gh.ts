// Home answers `gh` of an agent in a place: the words become a request (core/boundary), the request is decided by what the session may,
// and gh, or ao's facade of it, is run with arguments that were built from the request. Filters of the output are run
// by themselves, without gh's environment: jq can read it, and the token is in there.
import { join } from 'node:path'
import { apiCall, commandCall, describeRequest, type GhCall, ownerCall } from '../../../core/boundary/gh-argv.ts'
import { ghEnvironment } from '../../../core/boundary/gh-environment.ts'
import {
  decideGh,
  type GhCommand,
  type GhRequest,
  type Output,
  type Repository,
} from '../../../core/boundary/gh-request.ts'
import { fillPull } from '../../../core/forge/fill-pull.ts'
import { commitLog, parseCommits } from '../../../git/diff/commit-log.ts'
import { tryGit } from '../../../git/git.ts'
import type { GhForge, HomeOfWork } from '../home/line-files.ts'
import { ownBranches } from '../work/bring-home.ts'
import type { Answering } from './answering.ts'
import { finish, readInput, writeOut } from './ask-frames.ts'
import { type HomeProgram, passOutput, takeOutput } from './run-at-home.ts'

type Stream = Parameters<typeof finish>[0]

interface Gh {
  env: NodeJS.ProcessEnv
  home: HomeOfWork
  forge: GhForge
  stream: Stream
  /** The session whose agent asks. */
  by: string
}

export async function answerGh(
  { env, save, keep, record, spec }: Answering,
  home: HomeOfWork,
  stream: Stream,
  argv: readonly string[],
): Promise<void> {
  const { forge } = home
  if (!forge) {
    const why = NO_FORGE[forge === null ? 'other' : 'older']
    await record(`gh ${argv.join(' ')}`, why)
    return finish(stream, 1, why)
  }
  // A branch that the agent made a moment ago is known once its work is here; a pull request is about commits.
  await save()
  const state = keep.state()
  const branch = state.work?.ref?.replace('refs/heads/', '') ?? home.branch
  const rights = { ...forge, branch, branches: ownBranches(home, state), issue: home.issue ?? null }
  const request = decideGh(argv, rights)
  if (request.kind === 'refused') {
    await record(`gh ${argv.join(' ')}`, request.why)
    return finish(stream, 1, request.why)
  }
  const gh = { env, home, forge, stream, by: spec.sessionId }
  const notOwn = await refuseForeignPull(gh, request, rights.branches)
  await record(describeRequest(request), notOwn, request.kind !== 'command' || request.access === 'read')
  if (notOwn !== null) return finish(stream, 1, notOwn)
  await carryOut(gh, request)
}

const NO_FORGE = {
  other: "gh is for GitHub, which this project's forge is not; use git push, and ao pr",
  older: 'the session was started by an older version of ao; gh is answered after: ao session restore',
}

async function carryOut(gh: Gh, request: Exclude<GhRequest, { kind: 'refused' }>): Promise<void> {
  const { stream, forge } = gh
  const on = forge.isLocal ? null : forge.repository
  if (request.kind === 'help' || request.kind === 'version') {
    const argv = [request.kind === 'help' ? '--help' : '--version']
    return finish(stream, await passOutput(stream, program(gh, { argv, input: null })))
  }
  if (request.kind === 'account') {
    if (on !== null) return print(stream, accountText(on))
    return finish(stream, await passOutput(stream, program(gh, { argv: ['auth', 'status'], input: null })))
  }
  if (request.kind === 'repository') return answerRepository(gh, request.output)
  if (request.kind === 'api') {
    return runCall(gh, apiCall(request, on, request.output.jq !== null), request.isSilent ? null : request.output)
  }
  const input = request.body.from === 'input' ? await readInput(stream) : undefined
  const filled = on === null ? undefined : await fillFromCommits(gh, request)
  if (filled === null) return finish(stream, 1, 'there are no commits yet to take title and text from')
  await runCall(gh, commandCall(request, on, { input, filled, by: gh.by }), request.output)
}

async function runCall(gh: Gh, call: GhCall, output: Output | null): Promise<void> {
  const { stream } = gh
  if (output === null || output.jq === null) return finish(stream, await passOutput(stream, program(gh, call)))
  const { exitCode, stdout } = await takeOutput(stream, program(gh, call))
  if (exitCode !== 0) {
    writeOut(stream, stdout)
    return finish(stream, exitCode)
  }
  finish(stream, await format(gh, stdout.toString('utf8'), output))
}

/** In a program of its own: without a secret in its environment, and with nothing to read but this. */
function format({ env: { PATH, HOME }, home, stream }: Gh, text: string, { jq }: Output): Promise<number> {
  const input = `${JSON.stringify({ jq })}\n${text}`
  return passOutput(stream, {
    program: join(home.bin, 'ao'),
    argv: ['gh', '--format'],
    cwd: directoryOf(home),
    env: { PATH, HOME },
    input,
  })
}

function program({ env: users, home, forge }: Gh, { argv, input }: GhCall): HomeProgram {
  const env = { ...users, ...home.environment, PATH: `${home.bin}:${users.PATH ?? ''}` }
  if (forge.isLocal) return { program: join(home.bin, 'ao'), argv: ['gh', ...argv], cwd: home.mirror, env, input }
  return { program: join(home.bin, 'gh'), argv, cwd: directoryOf(home), env: ghEnvironment(env), input }
}

/** Not a checkout: gh would read files of it, which the agent made. */
function directoryOf({ environment }: HomeOfWork): string {
  return environment.AO_STATE_DIR ?? '/'
}

/** The facade sees to it by itself, since its pull requests know their session. */
async function refuseForeignPull(gh: Gh, request: GhRequest, own: readonly string[]): Promise<string | null> {
  const number = request.kind === 'command' && !gh.forge.isLocal ? request.mustOwn : null
  if (number === null) return null
  const { stdout } = await takeOutput(gh.stream, program(gh, ownerCall(number, gh.forge.repository)))
  const { headRefName, isCrossRepository } = parse(stdout)
  if (isCrossRepository === false && typeof headRefName === 'string' && own.includes(headRefName)) return null
  return `pull request #${number} is not of this session's branch; a session in a place changes only its own`
}

function parse(text: Buffer): Record<string, unknown> {
  try {
    return Object(JSON.parse(text.toString('utf8')))
  } catch {
    // gh has said on stderr why there is no answer.
    return {}
  }
}

/** undefined: nothing is to be filled in. null: there is nothing to fill it in from. */
async function fillFromCommits({ env, home }: Gh, { fill, settings }: GhCommand) {
  if (fill === null) return undefined
  const value = (flag: string) => settings.find(([name]) => name === flag)?.[1]
  const [base, head] = [String(value('base') ?? home.defaultBranch), String(value('head'))]
  for (const from of [`refs/remotes/origin/${base}`, `refs/heads/${base}`]) {
    const log = await tryGit(home.mirror, commitLog(from, `refs/heads/${head}`), { env, read: true })
    if (log.ok) return fillPull(parseCommits(log.stdout), head, fill)
  }
  return null
}

async function answerRepository(gh: Gh, output: Output): Promise<void> {
  const { forge, home, stream } = gh
  if (forge.isLocal) {
    const argv = ['repo', 'view', ...(output.fields === null ? [] : [`--json=${output.fields}`])]
    return runCall(gh, { argv, input: null }, output)
  }
  const facts = repositoryFacts(forge.repository, home.defaultBranch)
  if (output.fields === null) return print(stream, `name:\t${facts.nameWithOwner}\ndescription:\t\n--\n`)
  const fields = output.fields.split(',')
  const unknown = fields.find((name) => !Object.hasOwn(facts, name))
  if (unknown !== undefined) {
    const available = Object.keys(facts).join(', ')
    return finish(stream, 1, `${unknown} is not available in a place; of the repository there are: ${available}`)
  }
  const text = `${JSON.stringify(Object.fromEntries(fields.map((name) => [name, facts[name as keyof typeof facts]])))}\n`
  if (output.jq === null) return print(stream, text)
  finish(stream, await format(gh, text, output))
}

function repositoryFacts({ host, owner, name }: Repository, defaultBranch: string) {
  return {
    name,
    nameWithOwner: `${owner}/${name}`,
    owner: { login: owner },
    url: `https://${host}/${owner}/${name}`,
    sshUrl: `git@${host}:${owner}/${name}.git`,
    defaultBranchRef: { name: defaultBranch },
  }
}

function accountText({ host, owner, name }: Repository): string {
  return `${host}\n  ✓ Commands are run where ao runs, for ${owner}/${name} only (ao: the token stays there)\n`
}

function print(stream: Stream, text: string): void {
  writeOut(stream, Buffer.from(text))
  finish(stream, 0)
}
