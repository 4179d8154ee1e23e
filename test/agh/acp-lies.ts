// Everything the protocol lets an agent say that is not true, as steps of test/fixtures/hostile-acp.mjs. What must never happen
// has EVIL in its text, what a person would allow has SAFE.

export interface Random {
  int(below: number): number
  pick<T>(from: readonly T[]): T
}

/** The same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const int = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return { int, pick: (from) => from[int(from.length)]! }
}

export interface Directories {
  workspace: string
  /** Beside the workspace, with `secret.txt` in it. */
  outside: string
}

export type Step = Record<string, unknown>
type Lie = (random: Random, where: Directories, number: number) => Step[]

const SESSION = '@SESSION'
const text = (of: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: of } })
const update = (content: unknown, sessionId: unknown = SESSION) => ({
  method: 'session/update',
  params: { sessionId, update: content },
})
const OPTIONS = [
  { optionId: 'a', name: 'Allow', kind: 'allow_once' },
  { optionId: 'r', name: 'Reject', kind: 'reject_once' },
]
const permission = (toolCall: object, options: unknown = OPTIONS, sessionId: unknown = SESSION) => ({
  method: 'session/request_permission',
  params: { sessionId, toolCall: { toolCallId: 'tool', ...toolCall }, options },
})
const read = (path: unknown, sessionId: unknown = SESSION) => ({
  method: 'fs/read_text_file',
  params: { sessionId, path },
})
const writes = (path: unknown, content: unknown, sessionId: unknown = SESSION) => ({
  method: 'fs/write_text_file',
  params: { sessionId, path, content },
})
const terminal = (params: object) => ({ method: 'terminal/create', params: { sessionId: SESSION, ...params } })
const touch = (name: string) => terminal({ command: 'touch', args: [name] })
const diff = (path: string, newText: string) => ({ type: 'diff', path, oldText: null, newText })
const raw = (bytes: string | Buffer) => ({ raw: Buffer.from(bytes).toString('base64') })

/** Ids that are nobody's, or not ids. */
const STRANGE_IDS: readonly unknown[] = [0, -1, 9_999_999, 1.5, 'x', '', null, true, [], {}, 'own-1000', 2 ** 53]
const STRANGE_PATHS: readonly unknown[] = [
  '',
  '.',
  '..',
  '/',
  'a\0b',
  'x'.repeat(5_000),
  42,
  null,
  ['x'],
  {},
  '~',
  '//',
]

function outsidePaths({ workspace, outside }: Directories): string[] {
  return [
    `${outside}/secret.txt`,
    '../outside/secret.txt',
    `${workspace}/../outside/secret.txt`,
    `${workspace}/link/secret.txt`,
    `${workspace}/link-to-file`,
    `${workspace}/nested/up/outside/secret.txt`,
    '/etc/passwd',
    '/proc/self/environ',
    '/proc/self/root/etc/passwd',
    `/proc/self/cwd/../outside/secret.txt`,
  ]
}

export const LIES: Readonly<Record<string, Lie>> = {
  'updates of another session': (random) => [
    { say: update(text('FOREIGN'), random.pick<unknown>(['other', '', null, 7, {}])) },
  ],
  'updates of no known form': (random) => [
    {
      say: update(
        random.pick<unknown>([
          null,
          7,
          'x',
          [],
          {},
          { sessionUpdate: 'no_such' },
          { sessionUpdate: 7 },
          { sessionUpdate: 'agent_message_chunk' },
          { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 42 } },
          { sessionUpdate: 'tool_call', toolCallId: {}, title: 7, content: 'x', locations: 'y' },
          { sessionUpdate: 'tool_call_update', toolCallId: 'never-begun', status: 'nonsense' },
          { sessionUpdate: 'plan', entries: [null, 7, { content: {} }] },
          { sessionUpdate: 'usage_update', used: -1, size: 'x', cost: { amount: Number.MAX_VALUE } },
          { sessionUpdate: 'current_mode_update', currentModeId: { __proto__: null } },
          { sessionUpdate: 'available_commands_update', availableCommands: { length: 1e9 } },
        ]),
      ),
    },
  ],
  'answers that nobody asked for': (random) => [
    { say: { id: random.pick(STRANGE_IDS), result: { stopReason: 'cancelled' } } },
    { say: { id: random.pick(STRANGE_IDS), error: random.pick<unknown>([{}, 'x', 7, { code: 'x', message: 7 }]) } },
  ],
  'an answer twice': () => [
    { answer: { result: { stopReason: 'end_turn' } } },
    { answer: { result: { stopReason: 'refusal' } } },
    { answer: { error: { code: -32_603, message: 'EVIL' } } },
  ],
  'an answer of no known form': (random) => [
    {
      answer: random.pick<object>([
        { result: null },
        { result: 42 },
        { result: {} },
        { result: { stopReason: 7, usage: 'x' } },
        { result: { stopReason: 'EVIL '.repeat(1_000) } },
        { error: null },
        { error: { code: 1e300, message: 'x'.repeat(100_000) } },
        { result: { stopReason: 'end_turn' }, error: { code: 1, message: 'both' } },
      ]),
    },
  ],
  'more after the end of the turn': (_random, _where, number) => [
    { answer: { result: { stopReason: 'end_turn' } } },
    { say: update(text('late')) },
    { ask: touch(`EVIL-${number}`), isEvil: true, answerWithinMs: 300 },
    {
      ask: permission({ title: 'EVIL', kind: 'execute', rawInput: { command: 'EVIL' } }),
      isEvil: true,
      answerWithinMs: 300,
    },
  ],
  'methods that do not exist': (random) => [
    { ask: { method: random.pick(['evil/method', '', '__proto__', 'constructor', 'session/prompt', 'initialize']) } },
    { say: { method: random.pick(['$/evil', 'session/cancel', 'fs/evil']), params: [1, 2] } },
    { say: { method: 7 } },
  ],
  'requests without an id': (_random, { workspace }, number) => [
    { say: writes(`${workspace}/EVIL-${number}`, 'EVIL') },
    { say: touch(`EVIL-${number}`) },
    { say: permission({ title: 'EVIL', kind: 'read' }) },
  ],
  'lines that are no messages': (random) => [
    raw(
      random.pick<string | Buffer>([
        'not json\n',
        '\n\r\n \n',
        '[]\n[{"jsonrpc":"2.0"}]\n',
        'null\n42\n"x"\n',
        '{"jsonrpc":"2.0"\n',
        '{"a":1}{"b":2}\n',
        '\u001b]0;EVIL\u0007\u001b[2J\n',
        '{"__proto__":{"isEvil":true},"jsonrpc":"2.0"}\n',
        `${'['.repeat(20_000)}\n`,
        Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]),
        Buffer.concat([
          Buffer.from('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x","update":"'),
          Buffer.from([0xc3, 0x28, 0xf0, 0x9f]),
          Buffer.from('"}}\n'),
        ]),
      ]),
    ),
  ],
  'text that cannot be shown': (random) => [
    {
      say: update(
        text(random.pick(['\ud800', '\u202eevil', '\u0000', '\ufeff', '\u001b[31m', 'a\u0300'.repeat(2_000)])),
      ),
    },
  ],
  'a very long line': (random) => [{ say: update(text('x'.repeat(random.pick([70_000, 1_000_000, 3_000_000])))) }],
  'a flood of updates': (random) => [{ times: random.pick([500, 3_000]), each: update(text('flood ')) }],
  'a flood of requests': () => [{ times: 300, each: { method: 'evil/method', id: 7 } }],
  'a flood of questions': (_random, _where, number) => [
    {
      askAll: Array.from({ length: 40 }, (_, index) => ({
        ask: permission({ title: `EVIL ${number} ${index}`, kind: 'execute', rawInput: { command: `EVIL ${index}` } }),
        isEvil: true,
        answerWithinMs: 400,
      })),
    },
  ],
  'reading outside the workspace': (random, where) => [
    { ask: read(random.pick(outsidePaths(where)), random.pick([SESSION, 'other', undefined])), isEvil: true },
  ],
  'writing outside the workspace': (random, where) => [
    { ask: writes(random.pick(outsidePaths(where)), 'EVIL'), isEvil: true, answerWithinMs: 600 },
  ],
  'paths that are none': (random) => [
    { ask: read(random.pick(STRANGE_PATHS)) },
    {
      ask: writes(random.pick(STRANGE_PATHS), random.pick<unknown>(['EVIL', 7, null])),
      isEvil: true,
      answerWithinMs: 600,
    },
  ],
  'a file that becomes a link while a person is asked': (_random, { workspace, outside }, number) => [
    { file: [`${workspace}/swap-${number}`, 'mine'] },
    {
      ask: writes(`${workspace}/swap-${number}`, 'SAFE'),
      whileAsked: [`${workspace}/swap-${number}`, `${outside}/secret.txt`],
    },
  ],
  'a write to what git obeys': (random, { workspace }) => [
    {
      ask: writes(`${workspace}/${random.pick(['.git/hooks/pre-commit', '.git/config', '.gitattributes'])}`, 'EVIL'),
      isEvil: true,
      answerWithinMs: 600,
    },
  ],
  'a write that a person allows': (_random, { workspace }, number) => [
    { ask: writes(`${workspace}/SAFE-${number}.txt`, `SAFE ${number}`) },
  ],
  'one text shown, another written': (_random, { workspace }, number) => {
    const path = `${workspace}/bait-${number}.txt`
    const shown = { title: 'SAFE', kind: 'edit', rawInput: { path }, content: [diff(path, 'SAFE')] }
    return [{ ask: permission(shown) }, { ask: writes(path, 'EVIL'), isEvil: true, answerWithinMs: 600 }]
  },
  'one command shown, another run': (random, { outside }, number) => [
    {
      ask: permission({
        title: `touch SAFE-${number}`,
        kind: 'execute',
        rawInput: { command: `touch SAFE-${number}` },
      }),
    },
    {
      ask: random.pick([
        touch(`EVIL-${number}`),
        terminal({ command: 'sh', args: ['-c', `touch SAFE-${number}; touch EVIL-${number}`] }),
        terminal({ command: 'touch', args: [`SAFE-${number}`], env: [{ name: 'LD_PRELOAD', value: 'EVIL.so' }] }),
        terminal({ command: `${outside}/EVIL`, args: [] }),
      ]),
      isEvil: true,
      answerWithinMs: 600,
    },
  ],
  'a command with parts that do not fit': (random, { outside }, number) => [
    {
      ask: terminal({
        command: random.pick<unknown>(['EVIL\0', '', 7, null, 'EVIL'.repeat(50_000)]),
        args: random.pick<unknown>([[], 'EVIL', [7], undefined, Array(5_000).fill(`EVIL-${number}`)]),
        cwd: random.pick<unknown>([undefined, outside, '/', 7, '../outside']),
        outputByteLimit: random.pick<unknown>([undefined, -1, 1e18, 'x']),
      }),
      isEvil: true,
      answerWithinMs: 600,
    },
  ],
  'terminals of somebody else': (random) => {
    const terminalId = random.pick<unknown>(['term-0', 'term-999', '__proto__', '', 7, null])
    const method = random.pick(['output', 'wait_for_exit', 'kill', 'release'])
    return [
      {
        ask: { method: `terminal/${method}`, params: { sessionId: SESSION, terminalId } },
        isEvil: true,
        answerWithinMs: 300,
      },
    ]
  },
  'a command that is called a read': (random, { workspace }) => [
    {
      ask: permission(
        random.pick<object>([
          { title: 'SAFE', kind: 'read', rawInput: { command: 'EVIL' } },
          { title: 'SAFE', kind: 'search', rawInput: { path: `${workspace}/a`, cmd: ['EVIL'] } },
          { title: 'SAFE', kind: 'read', rawInput: { path: `${workspace}/SAFE`, env: { X: 'EVIL' } } },
          { title: 'SAFE', kind: 'read', rawInput: 'EVIL' },
          { title: 'SAFE', kind: 'read', rawInput: { url: 'https://EVIL' } },
          { title: 'SAFE', kind: 'think', rawInput: { args: { deep: ['EVIL'] } } },
        ]),
      ),
      isEvil: true,
    },
  ],
  'a title that is not what is run': (random, { workspace }, number) => [
    {
      ask: permission(
        random.pick<object>([
          { title: `touch SAFE-${number}`, kind: 'execute', rawInput: { command: `touch EVIL-${number}` } },
          { title: 'SAFE', kind: 'execute', rawInput: { command: 'SAFE', args: ['EVIL'] } },
          { title: 'SAFE', kind: 'execute', rawInput: { command: `SAFE${' '.repeat(20_000)}EVIL` } },
          { title: `SAFE${'\n'.repeat(500)}`, kind: 'execute', rawInput: { command: 'EVIL\u200b\u202e' } },
          { title: 'SAFE', kind: 'edit', rawInput: { path: 'SAFE' }, content: [diff('SAFE', 'EVIL')] },
          { title: 'SAFE', kind: 'edit', content: [diff(`${workspace}/SAFE`, `${'SAFE '.repeat(20_000)}EVIL`)] },
          { title: 'SAFE', kind: 'edit', rawInput: { path: 'SAFE', content: `${'x'.repeat(20_000)}EVIL` } },
        ]),
      ),
      isEvil: true,
    },
  ],
  'options that are not what they are called': (random) => [
    {
      ask: permission(
        { title: 'EVIL', kind: 'execute', rawInput: { command: 'EVIL' } },
        random.pick<unknown>([
          [
            { optionId: 'a', name: 'Reject', kind: 'allow_once' },
            { optionId: 'r', name: 'Allow', kind: 'reject_once' },
          ],
          [
            { optionId: 'same', name: 'Reject', kind: 'reject_once' },
            { optionId: 'same', name: 'Allow', kind: 'allow_once' },
          ],
          [{ optionId: 'a', name: 'Reject', kind: 'allow_always' }],
          [{ optionId: 'a', name: 'Allow', kind: 'allow_forever' }],
          [],
          'x',
          [null, 7],
          Array.from({ length: 200 }, (_, index) => ({ optionId: `${index}`, name: 'No', kind: 'allow_once' })),
        ]),
      ),
      isEvil: true,
      answerWithinMs: 600,
    },
  ],
  'questions of no known form': (random) => [
    {
      ask: {
        method: 'session/request_permission',
        params: random.pick<unknown>([
          undefined,
          null,
          {},
          [],
          { sessionId: SESSION },
          { sessionId: SESSION, toolCall: null, options: OPTIONS },
          { sessionId: 'other', toolCall: { toolCallId: 'x', title: 'EVIL', kind: 'read' }, options: OPTIONS },
          { sessionId: SESSION, toolCall: { toolCallId: 7, title: { evil: 'EVIL' } }, options: OPTIONS },
        ]),
      },
      isEvil: true,
      answerWithinMs: 600,
    },
  ],
  'one id for two requests at once': (random, _where, number) => {
    const id = random.pick<unknown>([5, 'five', 0, 'own-1'])
    const pair = [`SAFE-${number}`, `EVIL-${number}`].map((name) => ({
      ask: { ...touch(name), id },
      answerWithinMs: 500,
    }))
    return [{ askAll: random.int(2) === 0 ? pair : pair.toReversed() }]
  },
  'an id again for another request': (_random, _where, number) => [
    { ask: { ...touch(`SAFE-${number}`), id: 77 } },
    { ask: { ...touch(`EVIL-${number}`), id: 77 }, isEvil: true, answerWithinMs: 500 },
  ],
  'questions after a cancel': (_random, _where, number) => [
    { untilCancel: 300 },
    { ask: touch(`EVIL-${number}`), isEvil: true, answerWithinMs: 300 },
    {
      ask: permission({ title: 'EVIL', kind: 'execute', rawInput: { command: 'EVIL' } }),
      isEvil: true,
      answerWithinMs: 300,
    },
    { answer: { result: { stopReason: 'cancelled' } } },
  ],
}
