// npm run torture -- hostile: texts and requests of somebody who wants to get in.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { DASHBOARD_ROUTES } from '../src/dashboard/server/routes.ts'
import { rawRequest } from '../test/dashboard/raw-request.ts'
import { serveProject } from '../test/dashboard/served-project.ts'
import { type AoWorld, buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type Campaign, campaign, triesOr } from './campaign.ts'

buildAo()

const PIECES = [
  '\u001b[2J\u001b[H',
  '\u001b]0;title\u0007',
  '\u001b]52;c;Y2FuYXJ5\u0007',
  '\u009b31m',
  '\u202etxt.exe\u202c',
  '\u200b\u2066',
  '$(touch canary)',
  '`touch canary`',
  '#(touch canary)',
  "'; touch canary; '",
  '| touch canary &',
  '\nstatus=merged\n',
  '\r\nrole=orchestrator\r\n',
  '<script>alert(1)</script>',
  '{{7*7}} ${HOME} %s %n',
  '\u0000\u0008\u007f',
  'plain words',
]
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const ACTS_ON_TERMINAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

campaign('hostile text', async (one) => {
  const config = 'port: 0\nprojects:\n  app:\n    path: .\n    agent: demo\n    tracker: local\n    scm: local\n'
  const world = createAoWorld({ config })
  one.afterwards(async () => {
    await world.ao(['stop', '--sessions'])
    return world.temp.cleanup()
  })
  await world.ao(['config', 'trust', '--yes'])
  const script = 'demo: append notes one\ndemo: commit notes\ndemo: pr Notes\ndemo: ask Which?'
  await world.ao(['spawn', '--prompt', script])
  await waitFor('the pull request', async () => (await world.ao(['pr', 'ls'])).stdout.includes('Notes'))
  for (let n = 1; n <= triesOr(12); n++) await sayHostileThings(world, n, one)
})

async function sayHostileThings(world: AoWorld, n: number, one: Campaign): Promise<void> {
  const text = Array.from({ length: 4 }, () => one.random.pick(PIECES)).join('x')
  // No argument of a program can hold a NUL.
  const argument = text.replaceAll('\u0000', '')
  const file = join(world.temp.home, 'body')
  writeFileSync(file, text)
  for (const args of [
    ['issue', 'new', argument, '--body', argument],
    ['pr', 'comment', '1', '--body', argument],
    ['pr', 'review', '1', '--request-changes', '--body', argument],
    ['send', 'app-1', '--file', file, '--no-wait'],
    ['spawn', String(n), '--prompt', argument],
  ]) {
    one.tried('texts')
    const { code, stderr } = await world.ao(args)
    if (code !== 0) one.broken(`ao ${JSON.stringify(args)} exited with ${code}: ${stderr}`)
  }
  const readers = [
    ...[['session', 'ls', '--all'], ['status'], ['events', '-n', '50'], ['why', 'app-1'], ['session', 'show', 'app-1']],
    ...[
      ['issue', 'ls'],
      ['issue', 'show', String(n)],
      ['pr', 'ls'],
      ['pr', 'show', '1'],
      ['pr', 'diff', '1'],
    ],
    ...[['session', 'ls', '--json'], ['events', '-n', '50', '--json'], ['doctor'], ['feedback', 'ls']],
  ]
  for (const args of readers) {
    one.tried('outputs')
    const { stdout, stderr } = await world.ao(args)
    const found = ACTS_ON_TERMINAL.exec(`${stdout}${stderr}`)
    if (found) one.broken(`ao ${args.join(' ')} printed ${JSON.stringify(found[0])} of ${JSON.stringify(text)}`)
    if (/went wrong inside/.test(stderr)) one.broken(`ao ${args.join(' ')}: ${stderr}`)
  }
  for (const place of [world.repo, world.temp.home, join(world.temp.home, '.worktrees', 'app', 'app-1')]) {
    if (existsSync(join(place, 'canary'))) one.broken(`something of ${JSON.stringify(text)} was executed in ${place}`)
  }
  const { sessions } = await world.json<{ sessions: Array<{ id: string; status: string }> }>(['session', 'ls', '--all'])
  for (const { id, status } of sessions) if (status === 'merged') one.broken(`${id} took a status from the text`)
  one.judged()
  for (const { id } of sessions) if (id !== 'app-1') await world.ao(['session', 'kill', id, '--purge'])
}

campaign('hostile requests', async (one) => {
  const world = await serveProject({ yaml: ['agent: demo', 'scm: local'] })
  one.afterwards(() => world.close())
  const { port } = world.server
  const ask = async () => (await world.api('GET', '/api/sessions')).status
  for (let n = 0; n < triesOr(2_000); n++) {
    const request = hostileRequest(one, port, world.token)
    const answer = await rawRequest(request).catch((error: Error) => ({ status: 400, text: error.message }))
    one.tried('requests')
    const described = `${request.method} ${JSON.stringify(request.path)} ${JSON.stringify(request.headers)}`
    if (answer.status < 400 || answer.status >= 500)
      one.broken(`${described}: ${answer.status} ${answer.text.slice(0, 200)}`)
    if (n % 100 !== 0) continue
    if ((await ask()) !== 200) one.broken('the server stopped to answer')
    one.judged()
  }
  const sockets: Socket[] = []
  one.afterwards(async () => {
    for (const socket of sockets) socket.destroy()
  })
  const openings = ['', 'GET / HTTP/1.1\r\nHost: x\r\n', 'POST /api/spawn HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n{']
  for (let n = 0; n < triesOr(2_000); n++) {
    one.tried('connections')
    sockets.push(openConnection(port, one.random.pick(openings)))
    if (n % 200 !== 199) continue
    const started = performance.now()
    if ((await ask()) !== 200) one.broken(`no answer beside ${n} connections`)
    if (performance.now() - started > 5_000) one.broken(`an answer beside ${n} connections took more than 5 s`)
  }
  if (!existsSync(join(world.repo, 'README.md')) || readFileSync(join(world.repo, 'README.md'), 'utf8') === '') {
    one.broken('the repository was changed')
  }
})

function openConnection(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(text)
  return socket
}

/** Each has at least one thing that must keep it out. */
function hostileRequest({ random }: Campaign, port: number, token: string) {
  const route = random.pick(DASHBOARD_ROUTES)
  const ids = ['app-1', '..', '%2e%2e', '..%2f..', '%00', '__proto__', 'a'.repeat(5_000), '%ff', '~', '*']
  const path = route.path.replace(/:[A-Za-z]+/g, () => random.pick(ids))
  const flaw = random.pick(['no key', 'wrong key', 'foreign host', 'foreign page'] as const)
  const host =
    flaw === 'foreign host'
      ? random.pick(['evil.example', `evil.example:${port}`, '127.0.0.1.evil', '[::]'])
      : `127.0.0.1:${port}`
  const wrong = [token.slice(0, -1), `${token}x`, token.toUpperCase(), 'null', '', `${token} ${token}`]
  const authorization = {
    'no key': {},
    'wrong key': { authorization: `${random.pick(['Bearer', 'Basic', ''])} ${random.pick(wrong)}` },
    'foreign host': { authorization: `Bearer ${token}` },
    'foreign page': {
      authorization: `Bearer ${token}`,
      ...random.pick([{ origin: 'http://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]),
    },
  }[flaw]
  const headers: Record<string, string> = {
    host,
    'content-type': random.pick(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'x']),
    ...authorization,
    ...(random.chance(0.2) ? { 'x-http-method-override': 'DELETE', 'x-forwarded-host': `127.0.0.1:${port}` } : {}),
  }
  const method = random.chance(0.7) ? route.method : random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
  const body = random.pick(['', '{}', '[]', '{', 'null', '{"message":"x"}', '['.repeat(10_000)])
  return { port, path, method, headers, ...(method === 'GET' ? {} : { body }) }
}
