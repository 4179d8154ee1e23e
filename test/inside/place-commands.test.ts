// What home does with the commands of an agent in a place: the real answering code, with programs in place of gh and ao that write down
// how they were called; and the real gh, where it is installed, whose requests are caught.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AskTool } from '../../src/core/place/check-far-values.ts'
import type { HomeOfWork, LineSpec } from '../../src/plugins/place/home/line-files.ts'
import { answerAsk } from '../../src/plugins/place/line/answer-ask.ts'
import type { Far } from '../../src/plugins/place/reach/far.ts'
import { firstState } from '../../src/plugins/place/work/bring-home.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

const TOKEN = 'ghp_onlyathome'
const ENTRY = join(import.meta.dirname, '..', '..', 'dist', 'ao.js')

let temp: TempHome
let bin: string
let before: NodeJS.ProcessEnv
beforeEach(() => {
  temp = createTempHome()
  bin = join(temp.home, 'bin')
  mkdirSync(join(temp.home, 'state'), { recursive: true })
  mkdirSync(join(temp.home, 'mirror'))
  mkdirSync(bin)
  before = { ...process.env }
  Object.assign(process.env, {
    GH_TOKEN: TOKEN,
    GH_REPO: 'other/private',
    GIT_DIR: '/nowhere',
    EDITOR: 'touch',
    GH_PAGER: 'less',
  })
  writeProgram('ao', `exec '${process.execPath}' '${ENTRY}' "$@"`)
  recordCalls('gh')
})
afterEach(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  expect(await temp.cleanup()).toEqual([])
})

function writeProgram(name: string, body: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
}

/** A program that writes down its words, directory, environment and input. */
function recordCalls(name: string, answer = ''): void {
  const file = join(temp.home, 'calls')
  writeProgram(
    name,
    `{ printf '%s\\n' "called"; for one; do printf 'word %s\\n' "$one"; done; echo "cwd $PWD"; env | sed 's/^/env /'; sed 's/^/in /'; } >> '${file}'\nprintf '%s' '${answer}'`,
  )
}

function calls(): string {
  const file = join(temp.home, 'calls')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
const wordsCalled = () =>
  calls()
    .split('\n')
    .flatMap((line) => (line.startsWith('word ') ? [line.slice(5)] : []))

interface Answered {
  exit: number
  out: string
  err: string
  recorded: Array<[request: string, refused: string | null]>
}

async function ask(
  tool: AskTool,
  argv: string[],
  { input = '', isLocal = false, branches = [] as string[] } = {},
): Promise<Answered> {
  const answered: Answered = { exit: -1, out: '', err: '', recorded: [] }
  const given = [JSON.stringify({ data: Buffer.from(input).toString('base64') }), JSON.stringify({ end: true })]
  const stream = new Duplex({
    read() {
      for (const line of given.splice(0)) this.push(`${line}\n`)
    },
    write(chunk, _encoding, written) {
      for (const line of String(chunk).split('\n').filter(Boolean)) {
        const frame = JSON.parse(line) as { out?: string; err?: string; exit?: number }
        answered.out += Buffer.from(frame.out ?? '', 'base64').toString('utf8')
        answered.err += Buffer.from(frame.err ?? '', 'base64').toString('utf8')
        answered.exit = frame.exit ?? answered.exit
      }
      written()
    },
  })
  const far = {
    stream() {
      setImmediate(() => stream.emit('response', { ':status': 200 }))
      return stream
    },
  } as unknown as Far
  const repository = isLocal
    ? { host: 'localhost', owner: 'projects', name: 'widgets' }
    : { host: 'github.com', owner: 'acme', name: 'widgets' }
  const home: Partial<HomeOfWork> = {
    ...{
      mirror: join(temp.home, 'mirror'),
      project: join(temp.home, 'mirror'),
      defaultBranch: 'main',
      branch: 'topic',
    },
    ...{ environment: { AO_SESSION: 'wid-2', AO_STATE_DIR: join(temp.home, 'state') }, bin },
    ...{ forge: { repository, isLocal }, issue: null },
  }
  const state = { ...firstState(''), branches }
  await answerAsk({
    far,
    spec: { home, sessionId: 'wid-2' } as LineSpec,
    env: process.env,
    keep: { state: () => state, save: (change) => void Object.assign(state, change) },
    save: async () => undefined,
    ask: { type: 'ask', n: 1, id: 'a', tool, argv },
    record: async (request, refused) => void answered.recorded.push([request, refused]),
    open: { count: 0 },
  })
  return answered
}

describe('gh of an agent in a place', () => {
  it('is run with words that home built, outside of every checkout, with nothing that opens or prompts', async () => {
    const { exit } = await ask(
      'gh',
      ['pr', '-R', 'acme/widgets', 'create', '--title', '--', '-F/etc/passwd', '-dl', 'a,b'],
      {
        input: 'The text',
      },
    )
    expect(exit).toBe(0)
    expect(wordsCalled()).toEqual([
      ...['pr', 'create', '--repo=github.com/acme/widgets', '--title=--', '--draft', '--label=a', '--label=b'],
      ...['--head=topic', '--body-file=-'],
    ])
    expect(calls()).toContain(`cwd ${join(temp.home, 'state')}\n`)
    expect(calls()).toContain('in The text')
    for (const line of [
      'GH_PROMPT_DISABLED=1',
      'EDITOR=false',
      'GH_PAGER=cat',
      'GIT_DIR=/dev/null',
      'GIT_CONFIG_GLOBAL=/dev/null',
    ]) {
      expect(calls()).toContain(`env ${line}\n`)
    }
    expect(calls()).not.toMatch(/env GH_REPO=/)
  })

  it.each([
    ['api', '-X', 'GET', 'repos/acme/widgets/pulls/7/merge', '-X', 'PUT'],
    ['api', '-iX', 'DELETE', 'repos/acme/widgets'],
    ['api', 'graphql', '-fquery=mutation{x}'],
    ['pr', 'merge', '7', '-R', 'other/private', '--admin'],
    [
      'repo',
      '--upstream-remote-name',
      'view',
      'clone',
      'https://github.com/acme/widgets',
      'x',
      '--',
      '--config',
      'core.hooksPath=hk',
    ],
    ['auth', 'status', '--show-token'],
    ['auth', '--hostname', 'status', 'token'],
  ])('is not started, and the refusal is recorded: gh %s %s %s', async (...argv) => {
    const { exit, err, recorded } = await ask('gh', argv)
    expect(exit).toBe(1)
    expect(err).toMatch(/^ao: .+/)
    expect(calls()).toBe('')
    expect(recorded).toEqual([[`gh ${argv.join(' ')}`, expect.any(String)]])
  })

  it('changes a pull request only when its branch is the session’s', async () => {
    recordCalls('gh', '{"headRefName":"release","isCrossRepository":false}')
    const { exit, err, recorded } = await ask('gh', ['pr', 'merge', '7', '--squash'])
    expect([exit, err]).toEqual([1, expect.stringContaining('#7 is not of this session')])
    expect(wordsCalled()).not.toContain('merge')
    expect(recorded).toEqual([['gh pr merge 7 --squash', expect.stringContaining('#7')]])
    recordCalls('gh', '{"headRefName":"topic","isCrossRepository":false}')
    expect((await ask('gh', ['pr', 'merge', '7', '--squash'])).exit).toBe(0)
    expect(wordsCalled().slice(-4)).toEqual(
      ['pr', 'merge', '7', '--repo=github.com/acme/widgets', '--squash'].slice(-4),
    )
    recordCalls('gh', '{"headRefName":"topic","isCrossRepository":true}')
    expect((await ask('gh', ['pr', 'close', '7'])).exit).toBe(1)
  })

  it('filters its output without seeing home’s environment', async () => {
    recordCalls('gh', '{"state":"OPEN"}')
    const argv = ['pr', 'view', '--json', 'state', '--jq', '.state, env.GH_TOKEN, ($ENV|length)']
    expect(await ask('gh', argv)).toMatchObject({ exit: 0, out: 'OPEN\nnull\n0\n' })
    expect(wordsCalled().join(' ')).not.toContain('env')
    const template = await ask('gh', ['pr', 'view', '--json', 'state', '--template', '{{.state}}!'])
    expect(template).toMatchObject({ exit: 1, out: expect.not.stringContaining('OPEN') })
  })

  it('is answered by home itself where the token would be needed for nothing', async () => {
    const status = await ask('gh', ['auth', 'status'])
    expect(status).toMatchObject({ exit: 0, out: expect.stringContaining('acme/widgets') })
    const view = await ask('gh', ['repo', 'view', '--json', 'nameWithOwner,defaultBranchRef', '-q', '.nameWithOwner'])
    expect(view).toMatchObject({ exit: 0, out: 'acme/widgets\n' })
    expect(calls()).toBe('')
    expect(JSON.stringify([status, view])).not.toContain(TOKEN)
  })

  it('goes to ao’s own facade where the pull requests are ao’s, in the mirror', async () => {
    recordCalls('ao')
    await ask('gh', ['pr', 'create', '--title', '--', '-F', '/etc/passwd'], { isLocal: true, input: 'text' })
    expect(wordsCalled()).toEqual(['gh', 'pr', 'create', '--title=--', '--head=topic', '--body-file=-'])
    expect(calls()).toContain(`cwd ${join(temp.home, 'mirror')}\n`)
  })
})

describe('ao of an agent in a place', () => {
  it.each([
    [
      ['pr', 'view', '7', '--json'],
      ['pr', 'view', '7', '--json'],
    ],
    [
      ['issue', 'comment', '4', '-F', '/etc/passwd'],
      ['issue', 'comment', '4', '--body-file=-'],
    ],
    [
      ['why', 'wid-2'],
      ['why', 'wid-2'],
    ],
    [['--version'], ['version']],
  ])('is run as its table says: ao %j', async (argv, called) => {
    recordCalls('ao')
    expect((await ask('ao', argv, { input: 'x' })).exit).toBe(0)
    expect(wordsCalled()).toEqual(called)
  })

  it.each([
    [['session', 'kill', 'wid-2']],
    [['spawn', '4']],
    [['why', 'wid-3']],
    [['--config', '/tmp/evil.yaml', 'issue', 'ls']],
    [['issue', 'ls', '--config', '/tmp/evil.yaml']],
    [['pr', 'checks', '1', '--run']],
    [['pr', 'ls', '--jq', 'env']],
    [['issue', 'ls', '--project', 'other']],
    [['gh', 'extension', 'install', 'x']],
    [['gh', '--format']],
  ])('is refused: ao %j', async (argv) => {
    recordCalls('ao')
    expect(await ask('ao', argv)).toMatchObject({ exit: 1, recorded: [[expect.any(String), expect.any(String)]] })
    expect(calls()).toBe('')
  })
})

describe('a push of an agent in a place', () => {
  it('does not move a branch that others have on the remote, though the agent made one of that name', async () => {
    const mirror = join(temp.home, 'mirror')
    const remote = join(temp.home, 'remote.git')
    const env = { ...temp.env, GIT_DIR: undefined }
    delete process.env.GIT_DIR
    rmSync(mirror, { recursive: true })
    createRepo(mirror, env)
    git(temp.home, env, 'clone', '--quiet', '--bare', mirror, remote)
    git(remote, env, 'branch', 'release', 'main')
    git(mirror, env, 'remote', 'add', 'origin', remote)
    const old = git(remote, env, 'rev-parse', 'release')
    const now = git(mirror, env, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', 'evil')
    const push = (ref: string, from = old) =>
      ask('push', [], { input: `${from} ${now} refs/heads/${ref}\n`, branches: ['release', 'fresh'] })
    const { exit, err } = await push('release')
    expect([exit, err]).toEqual([1, expect.stringContaining('release is on the remote already')])
    expect(git(remote, env, 'rev-parse', 'release')).toBe(old)
    expect(await push('fresh', '0'.repeat(40))).toMatchObject({
      exit: 0,
      recorded: [['git push refs/heads/fresh', null]],
    })
    expect(git(remote, env, 'rev-parse', 'fresh')).toBe(now)
    expect((await push('main')).exit).toBe(1)
    expect((await ask('push', [], { input: '--upload-pack=x y refs/heads/fresh\n' })).exit).toBe(1)
  })
})

const realGh = findGh()
function findGh(): string | null {
  try {
    return execFileSync('sh', ['-c', 'command -v gh'], { encoding: 'utf8' }).trim()
  } catch {
    // Not installed.
    return null
  }
}

describe.skipIf(realGh === null)('the real gh', () => {
  let server: Server
  let requests: string[]
  beforeEach(async () => {
    requests = []
    const socket = join(temp.home, 'gh.sock')
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        requests.push(`${request.method} ${request.url} ${body}`)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(answerTo(body)))
      })
    })
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    const config = join(temp.home, 'gh-config')
    mkdirSync(config)
    writeFileSync(join(config, 'config.yml'), `http_unix_socket: ${socket}\n`)
    Object.assign(process.env, { GH_CONFIG_DIR: config })
    rmSync(join(bin, 'gh'))
    writeProgram('gh', `exec '${realGh}' "$@"`)
  })
  afterEach(() => new Promise((resolve) => void server.close(resolve)))

  function answerTo(body: string): unknown {
    if (!body.startsWith('{')) return [{ number: 7, title: 'A' }]
    const pullRequest = {
      id: 'PR_7',
      number: 7,
      state: 'OPEN',
      headRefName: 'topic',
      isCrossRepository: false,
      url: 'u',
    }
    const repository = {
      id: 'R_1',
      name: 'widgets',
      owner: { login: 'acme' },
      defaultBranchRef: { name: 'main' },
      pullRequest,
    }
    const pullRequests = {
      totalCount: 0,
      nodes: body.includes('PullRequestForBranch"') ? [pullRequest] : [],
      pageInfo: {},
    }
    if (body.includes('mutation CommentCreate'))
      return { data: { addComment: { commentEdge: { node: { url: 'u' } } } } }
    const created = { pullRequest: { id: 'PR_8', url: 'https://github.com/acme/widgets/pull/8' } }
    if (body.includes('mutation')) return { data: { createPullRequest: created } }
    return { data: { repository: { ...repository, pullRequests } } }
  }

  it('takes what home builds as it was meant', async () => {
    const created = await ask('gh', ['pr', 'create', '--title', '--', '-F', 'anything', '--base', 'main'], {
      input: 'The text',
    })
    expect(created).toMatchObject({ exit: 0, out: 'https://github.com/acme/widgets/pull/8\n' })
    const mutation = requests.find((one) => one.includes('createPullRequest'))!
    expect(mutation).toContain('"title":"--"')
    expect(mutation).toContain('"body":"The text"')
    expect(mutation).toContain('"headRefName":"topic"')

    requests.length = 0
    const read = await ask('gh', ['api', 'repos/{owner}/{repo}/pulls', '--paginate', '--jq', '.[].number'])
    expect([read.out, requests]).toEqual(['7\n', ['GET /repos/acme/widgets/pulls?per_page=100 ']])

    requests.length = 0
    expect(await ask('gh', ['pr', 'comment', '7', '--body', '--web'])).toMatchObject({ err: '', exit: 0 })
    expect(requests.at(-1)).toMatch(/"body":"--web[\\n]+\S*!-- ao: written by the agent of /)
    expect(requests.join('\n')).not.toContain('private')
  })

  it('is never made to write by gh api, nor to print its token', async () => {
    for (const argv of [
      ['api', '-X', 'GET', 'repos/acme/widgets/pulls/7/merge', '-X', 'PUT'],
      ['api', '-iX', 'DELETE', 'repos/other/private'],
      ['api', 'graphql', '-f', 'query=,mutation{x}'],
      ['auth', 'status', '-t'],
      ['api', 'user', '--jq', 'env'],
      ['pr', 'list', '--json', 'number', '--jq', 'env'],
      ['pr', 'list', '--json', 'number', '--template', '{{env "GH_TOKEN"}}'],
    ]) {
      expect(JSON.stringify(await ask('gh', argv))).not.toContain(TOKEN)
    }
    expect(requests.filter((one) => !/^(?:GET|POST \/graphql) /.test(one))).toEqual([])
    expect(requests.join('\n')).not.toMatch(/private|mutation/)
  })

  it('has no flag on an answered command that the table does not know, with its short form and whether it takes a value', async () => {
    const { GH_GROUPS, GH_SINGLE } = await import('../../src/core/boundary/gh-grammar.ts')
    const rows = [
      ...Object.entries(GH_GROUPS).flatMap(([group, { commands }]) =>
        Object.entries(commands).map(([name, row]) => [[group, name], row] as const),
      ),
      ...Object.entries(GH_SINGLE).map(([name, row]) => [[name], row] as const),
    ]
    const wrong: string[] = []
    for (const [parts, row] of rows) {
      const help = execFileSync(realGh!, [...parts, '--help'], { encoding: 'utf8' })
      const flags = help.slice(help.indexOf('\nFLAGS'), help.indexOf('\nINHERITED FLAGS'))
      for (const [, short, name, kind] of flags.matchAll(/^ +(?:-(\w), )?--([\w-]+)(?: (\S+))?/gm)) {
        const facts = row.flags[name!]
        // A word in backticks of the usage is shown as the kind; one space before it.
        const takesValue = facts?.value !== 'switch'
        if (!facts || facts.short !== short || takesValue !== (kind !== undefined))
          wrong.push(`${parts.join(' ')} --${name}`)
      }
    }
    expect(wrong).toEqual([])
  })
})
