// Home passes on pushes and fetches of an agent in a place, with the user's own access: the session's branches, each by itself.
import type { ClientHttp2Stream } from 'node:http2'
import { MOST_PUSHED, type PushedRef, parsePushedRef, refusePush } from '../../../core/place/pushed-refs.ts'
import { tryGit } from '../../../git/git.ts'
import { openRepository } from '../../../git/repository.ts'
import type { HomeOfWork } from '../home/line-files.ts'
import { ownBranches } from '../work/bring-home.ts'
import { writePack } from '../work/pack.ts'
import { present } from '../work/send-objects.ts'
import { remoteBranches } from '../work/send-workspace.ts'
import type { Answering } from './answering.ts'
import { finish, readInput } from './ask-frames.ts'

export async function answerPush(answering: Answering, home: HomeOfWork, stream: ClientHttp2Stream): Promise<void> {
  const { env, keep, save, record } = answering
  const lines = (await readInput(stream)).split('\n').filter((line) => line !== '')
  const refs = lines.flatMap((line) => parsePushedRef(line) ?? [])
  const named = `git push ${refs.map(({ ref }) => ref).join(' ')}`
  if (refs.length !== lines.length || refs.length > MOST_PUSHED) {
    const why = 'the push is not one that git makes'
    await record(named, why)
    return finish(stream, 1, why)
  }
  // A branch that the agent made a moment ago is known once its work is here.
  await save(refs.map(({ now }) => now))
  const rule = { own: ownBranches(home, keep.state()), defaultBranch: home.defaultBranch }
  const refused = refs.flatMap((ref) => refusePush(ref, rule) ?? [])
  await record(named, refused.length > 0 ? refused.join('; ') : null)
  if (refused.length > 0) return finish(stream, 1, refused.join('; '))
  if (!(await hasOrigin(home, env))) {
    return finish(stream, 0, 'nothing needs to be pushed: there is no remote, and ao has your commits.')
  }
  for (const ref of refs) {
    const why = await pushOne(answering, home, ref)
    if (why !== null) return finish(stream, 1, why)
  }
  finish(stream, 0)
}

/** null: it is there. A branch that the session did not create on the remote, and was not started on, is somebody else's. */
async function pushOne(
  { keep, env }: Answering,
  home: HomeOfWork,
  { old, now, ref }: PushedRef,
): Promise<string | null> {
  const branch = ref.replace('refs/heads/', '')
  const pushed = keep.state().pushed ?? []
  const isOwn = branch === home.branch || pushed.includes(branch)
  // An empty value: nobody has it there yet.
  const lease = !isOwn ? [`--force-with-lease=${ref}:`] : /^0+$/.test(old) ? [] : [`--force-with-lease=${ref}:${old}`]
  const how = ['--no-verify', '--quiet', '--no-follow-tags', '--recurse-submodules=no', '--no-signed', ...lease]
  const sent = await tryGit(home.mirror, ['push', ...how, 'origin', `${now}:${ref}`], {
    env,
    timeoutMs: 300_000,
  })
  if (sent.ok) {
    if (!isOwn) keep.save({ pushed: [...pushed, branch] })
    return null
  }
  if (!isOwn && /stale info|rejected/.test(sent.stderr)) {
    return `${branch} is on the remote already and is not a branch of this session; push to another name`
  }
  return sent.stderr.trim() || 'the push failed at home'
}

export async function answerFetch(
  { env, far, record }: Answering,
  home: HomeOfWork,
  stream: ClientHttp2Stream,
): Promise<void> {
  await record('git fetch', null, true)
  if (await hasOrigin(home, env)) {
    const args = ['fetch', '--quiet', '--no-recurse-submodules', 'origin']
    const fetched = await tryGit(home.mirror, args, { env, timeoutMs: 300_000 })
    if (!fetched.ok) return finish(stream, 1, fetched.stderr.trim())
  }
  const branches = await remoteBranches(home.project, home.defaultBranch, env)
  const repository = openRepository(home.mirror, env)
  const wants = Object.values(branches)
  // An older host does not say what it has.
  const there = await far.ask('GET /remote', {}).then(Object.values<string>, () => [])
  const haves = [home.sent.head, ...(await present(repository, there))]
  const { pack, done } = writePack({ gitDir: repository.commonDir, env }, { wants, haves })
  await Promise.all([far.send('POST /objects', pack), done])
  await far.ask('POST /remote', { body: branches })
  finish(stream, 0)
}

async function hasOrigin(home: HomeOfWork, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await tryGit(home.mirror, ['remote', 'get-url', 'origin'], { env, read: true })).ok
}
