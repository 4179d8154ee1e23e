// A session on the GitHub of the tests: the built ao, a real repository and its remote, an agent that records what it
// receives. The agent's work is done by the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePairs } from '../../src/core/text/key-value.ts'
import { agreeToAll } from '../support/agree.ts'
import { createAoHome } from '../support/ao-home.ts'
import { git } from '../support/git-repo.ts'
import { waitFor } from '../support/wait-for.ts'
import { newRepository } from './github-world.ts'
import type { Forge } from './start-forge.ts'

const AO = new URL('../../dist/ao.js', import.meta.url).pathname
const TOKEN = { GITHUB_TOKEN: 'token-acme' }

export type GithubSession = Awaited<ReturnType<typeof createGithubSession>>

/** One session on a new issue, with a pull request that has one commit of this file. */
export async function createGithubSession(
  forge: Forge,
  { file, content, yaml = [], more = '' }: { file: string; content: string; yaml?: string[]; more?: string },
) {
  const { repo } = await newRepository(forge)
  const plugin = `{ plugin: github, apiUrl: "${forge.url}" }`
  const ao = await createAoHome({
    projectYaml: [
      `repo: ${repo}`,
      'agent: generic',
      `agentConfig: { command: [bash, -c, 'echo ready; cat >> "$HOME/heard"'] }`,
      `tracker: ${plugin}`,
      `scm: ${plugin}`,
      ...yaml,
    ].join('\n'),
  })
  appendFileSync(join(ao.repo, 'agent-orchestrator.yaml'), `lifecycle: { pollSeconds: 1 }\n${more}`)
  await agreeToAll(join(ao.repo, 'agent-orchestrator.yaml'), ao)
  const bare = join(ao.home, 'app.git')
  git(ao.home, ao.env, 'clone', '--quiet', '--bare', ao.repo, bare)
  git(ao.repo, ao.env, 'remote', 'add', 'origin', bare)
  await forge.control({ op: 'bare', repo, path: bare })

  const api = <T>(method: string, path: string, body?: unknown, token?: string) =>
    forge.api<T>(method, `/repos/${repo}/${path}`, body, token)
  await api('POST', 'issues', { title: 'Write the answer', body: 'It is 42.' })
  const spawned = ao.run(['spawn', '1', '--json'], TOKEN)
  const { session } = JSON.parse(spawned.stdout) as { session: { id: string; branch: string } }

  const commit = (checkout: string, content: string) => {
    writeFileSync(join(checkout, file), content)
    git(checkout, ao.env, 'add', file)
    git(checkout, ao.env, 'commit', '--quiet', '--message', `${file}: ${content.trim()}`)
    git(checkout, ao.env, 'push', '--quiet', 'origin', 'HEAD')
    return git(checkout, ao.env, 'rev-parse', 'HEAD')
  }
  const work = (content: string) => commit(ao.worktree(session.id), content)
  const head = work(content)
  const pull = await api<{ number: number; html_url: string }>('POST', 'pulls', {
    title: 'The answer',
    head: session.branch,
    base: 'main',
  })
  const record = () => parsePairs(readFileSync(ao.sessionFile(session.id), 'utf8')).pairs
  const heard = () => (existsSync(join(ao.home, 'heard')) ? readFileSync(join(ao.home, 'heard'), 'utf8') : '')
  let loop: ChildProcess | null = null

  return {
    ao,
    api,
    bare,
    session,
    head,
    pull,
    record,
    heard,
    work,
    /** Somebody else's commit on the base branch. */
    workOnBase: (content: string) => commit(ao.repo, content),
    hears: (part: string) => waitFor(`the agent to hear ${part}`, () => heard().includes(part), 30_000),
    /** The loop has recorded that it did this; before that a crash may make it do it again. */
    noted: (key: string) =>
      waitFor(`a note of ${key}`, () => {
        const file = ao.sessionFile(session.id).replace('/sessions/', '/history/')
        return readFileSync(`${file}.jsonl`, 'utf8').includes(`"type":"reaction","key":"${key}"`)
      }),
    becomes: (status: string) => waitFor(`the status ${status}`, () => record().status === status, 30_000),
    async check(name: string, head_sha: string, conclusion: string, log?: string): Promise<void> {
      const run = { name, head_sha, status: 'completed', conclusion }
      const { id } = await api<{ id: number }>('POST', 'check-runs', run)
      if (log !== undefined) await forge.control({ op: 'log', job: id, text: log })
    },
    review: (who: string, event: string, output?: string) =>
      api(
        'POST',
        `pulls/${pull.number}/reviews`,
        { event, body: '', comments: output === undefined ? [] : [{ path: file, position: 1, body: output }] },
        `token-${who}`,
      ),
    startLoop(): void {
      const env = { ...ao.env, ...TOKEN }
      loop = spawn(process.execPath, [AO, 'start', '--foreground'], { cwd: ao.repo, env, stdio: 'ignore' })
    },
    async stopLoop(signal: NodeJS.Signals): Promise<void> {
      if (loop === null || loop.exitCode !== null || loop.signalCode !== null) return
      const exited = once(loop, 'exit')
      loop.kill(signal)
      await exited
      loop = null
    },
  }
}
