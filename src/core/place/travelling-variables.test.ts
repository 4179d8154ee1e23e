import { expect, it } from 'vitest'
import { type AskCount, countAsk } from './count-asks.ts'
import { inHomesTime } from './line/homes-time.ts'
import { allowedTarget, modelHosts } from './model-hosts.ts'
import { readDevcontainer } from './read-devcontainer.ts'
import { travellingVariables } from './travelling-variables.ts'

const MODELS = [
  ...[
    'ANTHROPIC_API_KEY',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'OPENAI_API_KEY',
    'CODEX_API_KEY',
    'GEMINI_API_KEY',
  ],
  ...[
    'GOOGLE_API_KEY',
    'GOOGLE_GENAI_X',
    'OPENROUTER_API_KEY',
    'MISTRAL_API_KEY',
    'DEEPSEEK_API_KEY',
    'XAI_API_KEY',
    'GROQ_API_KEY',
  ],
  'AWS_BEARER_TOKEN_BEDROCK',
]
const SESSION = ['AO_SESSION', 'AO_PROJECT_ID', 'AO_CALLER_TYPE', 'AO_SPAWN_ID']
const OTHERS = [
  'GITHUB_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'SSH_AUTH_SOCK',
  'PATH',
  'HOME',
  'AO_SESSION_X',
  'GEMINI_API_KEY_2',
  'MY_TOKEN',
  'MY_X',
]

it('only what reaches a model, says who the session is, or was named goes along', () => {
  const all = Object.fromEntries([...MODELS, ...SESSION, ...OTHERS].map((name) => [name, 'v']))
  const travel = (more: Parameters<typeof travellingVariables>[1]) => travellingVariables(all, more)
  expect(Object.keys(travel({})).sort()).toEqual([...MODELS, ...SESSION].sort())
  expect(travel({ named: ['MY_*'] })).toMatchObject({ MY_TOKEN: 'v', MY_X: 'v' })
  expect(Object.keys(travel({ named: ['MY_TOKEN'] }))).not.toContain('MY_X')
  expect(travel({ configured: { PATH: '/bin', EDITOR: 'vi' } })).toMatchObject({ EDITOR: 'vi' })
  expect(travel({ configured: { PATH: '/bin' } })).not.toHaveProperty('PATH')
})

it('only servers of models are reached, by their exact names', () => {
  const listed = [
    ...[
      'api.anthropic.com',
      'api.openai.com',
      'generativelanguage.googleapis.com',
      'aiplatform.googleapis.com',
      'openrouter.ai',
    ],
    ...['api.mistral.ai', 'api.deepseek.com', 'api.x.ai', 'api.groq.com', 'chatgpt.com'],
  ].map((host) => `${host}:443`)
  expect(modelHosts({})).toEqual(listed)
  expect(modelHosts({}, ['Models.example', 'box:8080']).slice(listed.length)).toEqual([
    'models.example:443',
    'box:8080',
  ])
  const own = (url: string, name = 'ANTHROPIC_BASE_URL') => modelHosts({ [name]: url }).slice(listed.length)
  expect([own('https://proxy.example/v1'), own('http://proxy.example'), own('http://proxy.example:1')]).toEqual([
    ['proxy.example:443'],
    ['proxy.example:80'],
    ['proxy.example:1'],
  ])
  expect([own('proxy.example'), own('file:///etc'), own('ssh://x'), own('https://x', 'HOME_URL')]).toEqual([
    [],
    [],
    [],
    [],
  ])
  expect(own('https://api.openai.com', 'OPENAI_API_BASE')).toEqual([])
  expect(allowedTarget('API.openai.com:443', listed)).toEqual({ host: 'api.openai.com', port: 443 })
  for (const target of ['evil.example:443', 'api.openai.com', 'api.openai.com:80', null, 7])
    expect(allowedTarget(target, listed)).toBeNull()
  expect(allowedTarget('a b:1', ['a b:1'])).toBeNull()
})

it.each([
  ...[
    'initializeCommand',
    'onCreateCommand',
    'updateContentCommand',
    'postCreateCommand',
    'postStartCommand',
    'postAttachCommand',
  ],
  ...[
    'runArgs',
    'mounts',
    'privileged',
    'capAdd',
    'securityOpt',
    'containerEnv',
    'remoteEnv',
    'containerUser',
    'remoteUser',
  ],
  ...['workspaceMount', 'workspaceFolder', 'forwardPorts', 'hostRequirements'],
])('%s of a devcontainer is named as left out', (key) => {
  expect(readDevcontainer(`{ "image": "x", "${key}": 1 }`)).toMatchObject({ ok: true, leftOut: [key] })
})

it('arguments of a build are plain', () => {
  const built = readDevcontainer(
    '{ "build": { "dockerfile": "D", "args": { "A": "1", "B": 2, "x y": "z" }, "target": "a b" } }',
  )
  expect(built).toMatchObject({ source: { args: { A: '1' }, target: null, context: '.' }, leftOut: [] })
})

it('a minute has its limit, and what is repeated is written down again after ten', () => {
  const count: AskCount = { since: 1_000, asks: 119, last: { request: 'a', at: 1_000 } }
  expect(countAsk(count, 'b', 60_999)).toEqual({
    outcome: 'counted',
    count: { since: 1_000, asks: 120, last: { request: 'b', at: 60_999 } },
  })
  expect(countAsk(count, null, 61_000)).toEqual({
    outcome: 'counted',
    count: { since: 61_000, asks: 1, last: count.last },
  })
  expect(countAsk({ ...count, asks: 120 }, 'b', 2_000)).toMatchObject({ outcome: 'too-many', isFirst: true })
  expect(countAsk({ ...count, asks: 121 }, 'b', 2_000)).toMatchObject({ outcome: 'too-many', isFirst: false })
  expect(countAsk(count, 'a', 600_999).outcome).toBe('repeated')
  expect(countAsk(count, 'a', 601_000).outcome).toBe('counted')
})

it('a reading is taken as far as it makes sense', () => {
  const read = (activity: object, info?: unknown) => inHomesTime({ activity, info }, 0)
  expect(read({ state: 'active', evidence: 'x', asksInWords: true }, { a: 1 })).toEqual({
    activity: { state: 'active', evidence: 'x', asksInWords: true },
    info: { a: 1 },
  })
  expect(read({ state: 'active', evidence: 7, asksInWords: 'yes', timestamp: 7 })).toEqual({
    activity: { state: 'active' },
    info: null,
  })
  expect(inHomesTime({ info: 'i' }, 0)).toEqual({ activity: null, info: 'i' })
})
