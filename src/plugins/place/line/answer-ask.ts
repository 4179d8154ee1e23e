// Home answers a command of an agent in a place: `gh` and `ao` as its wrappers would here, pushes and fetches with the user's
// own access. What the words may say is decided in core/place; everything runs in the mirror.

import type { ClientHttp2Stream } from 'node:http2'
import { join } from 'node:path'
import { errorText } from '../../../contract/errors.ts'
import type { CheckedAsk } from '../../../core/place/check-far-words.ts'
import { parsePushedRef, refuseForwarded, refusePush } from '../../../core/place/forwarded-command.ts'
import { tryGit } from '../../../git/git.ts'
import { openRepository } from '../../../git/repository.ts'
import { startProgram } from '../../../lib/start-program.ts'
import type { HomeOfWork, LineSpec } from '../home/line-files.ts'
import { type Far, statusOf } from '../reach/far.ts'
import { readJsonLines, writeJsonLine } from '../wire.ts'
import { type Keep, ownBranches } from '../work/bring-home.ts'
import { writePack } from '../work/pack.ts'
import { remoteBranches } from '../work/send-workspace.ts'

export interface Answering {
  far: Far
  spec: LineSpec
  keep: Keep
  /** Brings the work home first: a pull request is about commits. */
  save(wants?: readonly string[]): Promise<void>
  ask: CheckedAsk
}

type Said = { data: string } | { end: true }

/** Never rejects: a failure is the command's. */
export async function answerAsk(answering: Answering): Promise<void> {
  const { far, spec, ask } = answering
  const stream = far.stream('POST', `/ask?id=${encodeURIComponent(ask.id)}`)
  try {
    // Its command may have ended meanwhile, or was cut off with an earlier line: then nothing is done for it.
    if ((await statusOf(stream)) !== 200) return
    const { home } = spec
    if (home === null) return finish(stream, 1, 'there is no project behind this session')
    if (ask.tool === 'push') await answerPush(answering, home, stream)
    else if (ask.tool === 'fetch') await answerFetch(answering, home, stream)
    else await answerCommand(answering, home, stream, ask.tool)
  } catch (error) {
    finish(stream, 1, errorText(error))
  }
}

async function answerCommand(
  { ask, save }: Answering,
  home: HomeOfWork,
  stream: ClientHttp2Stream,
  tool: 'gh' | 'ao',
): Promise<void> {
  const why = refuseForwarded(tool, ask.argv)
  if (why !== null) return finish(stream, 1, why)
  await save()
  const child = startProgram(join(home.bin, tool), ask.argv, {
    cwd: home.mirror,
    env: { ...process.env, ...home.environment, PATH: `${home.bin}:${process.env.PATH ?? ''}` },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', (chunk: Buffer) => writeJsonLine(stream, { out: chunk.toString('base64') }))
  child.stderr.on('data', (chunk: Buffer) => writeJsonLine(stream, { err: chunk.toString('base64') }))
  const ended = new Promise<number>((resolve) => {
    child.on('error', () => resolve(127))
    child.on('close', (code) => resolve(code ?? 1))
  })
  void readJsonLines<Said>(stream, (line) => {
    if ('data' in line) child.stdin.write(Buffer.from(line.data, 'base64'))
    else child.stdin.end()
  }).then(() => child.stdin.end())
  // The agent ended its command: so is ours.
  stream.on('close', () => child.kill('SIGTERM'))
  finish(stream, await ended)
}

async function answerPush({ keep, save }: Answering, home: HomeOfWork, stream: ClientHttp2Stream): Promise<void> {
  const refs = (await readInput(stream)).split('\n').flatMap((line) => parsePushedRef(line) ?? [])
  const rule = { own: ownBranches(home, keep.state()), defaultBranch: home.defaultBranch }
  // A branch that the agent made a moment ago is known once its work is here.
  await save(refs.map(({ now }) => now))
  const refused = refs.flatMap((ref) => refusePush(ref, { ...rule, own: ownBranches(home, keep.state()) }) ?? [])
  if (refused.length > 0) return finish(stream, 1, refused.join('; '))
  if (!(await hasOrigin(home))) {
    return finish(stream, 0, 'nothing needs to be pushed: there is no remote, and ao has your commits.')
  }
  for (const { old, now, ref } of refs) {
    const lease = /^0+$/.test(old) ? [] : [`--force-with-lease=${ref}:${old}`]
    const args = ['push', '--no-verify', '--quiet', ...lease, 'origin', `${now}:${ref}`]
    const pushed = await tryGit(home.mirror, args, { env: process.env, timeoutMs: 300_000 })
    if (pushed.ok) continue
    return finish(stream, 1, pushed.stderr.trim() || 'the push failed at home')
  }
  finish(stream, 0)
}

async function answerFetch({ far }: Answering, home: HomeOfWork, stream: ClientHttp2Stream): Promise<void> {
  const before = Object.values(await remoteBranches(home.project, home.defaultBranch, process.env))
  if (await hasOrigin(home)) {
    const args = ['fetch', '--quiet', '--no-recurse-submodules', 'origin']
    const fetched = await tryGit(home.mirror, args, { env: process.env, timeoutMs: 300_000 })
    if (!fetched.ok) return finish(stream, 1, fetched.stderr.trim())
  }
  const branches = await remoteBranches(home.project, home.defaultBranch, process.env)
  const { commonDir } = openRepository(home.mirror, process.env)
  const wants = Object.values(branches)
  // What was sent at the start is there; the rest goes along, and what is there already costs little.
  const known = before.filter((id) => id === home.sent.head)
  const { pack, done } = writePack(
    { gitDir: commonDir, env: process.env },
    { wants, haves: [home.sent.head, ...known] },
  )
  await Promise.all([far.send('/objects', pack), done])
  await far.ask('/remote', branches)
  finish(stream, 0)
}

async function hasOrigin(home: HomeOfWork): Promise<boolean> {
  return (await tryGit(home.mirror, ['remote', 'get-url', 'origin'], { env: process.env, read: true })).ok
}

async function readInput(stream: ClientHttp2Stream): Promise<string> {
  const chunks: Buffer[] = []
  await new Promise<void>((resolve) => {
    void readJsonLines<Said>(stream, (line) => {
      if ('data' in line) chunks.push(Buffer.from(line.data, 'base64'))
      else resolve()
    }).then(resolve)
  })
  return Buffer.concat(chunks).toString('utf8')
}

function finish(stream: ClientHttp2Stream, exit: number, words?: string): void {
  if (words) writeJsonLine(stream, { err: Buffer.from(`ao: ${words}\n`).toString('base64') })
  writeJsonLine(stream, { exit })
  stream.end()
}
