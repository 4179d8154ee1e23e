import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGENT_TABLE, CAUTIOUS_COMMANDS } from '../../contract/agents/agent-table.ts'
import { enterAsText, withoutInvisible, withoutPreface } from './paste-text.ts'

describe('a message is entered as text', () => {
  it.each([
    ['an ordinary one as it is', 'fix the tests', 'fix the tests'],
    ['one with the character further on', 'run !ls, or /help me', 'run !ls, or /help me'],
    ['one that begins with it, behind a word', '!ls', 'Message: !ls'],
    ['also behind spaces and line breaks, which agents remove', '\n  /quit now', 'Message: \n  /quit now'],
    ['with a second line', '/quit\nsecond line', 'Message: /quit\nsecond line'],
    ['a bare word that ends agents', ' Exit ', 'Message:  Exit '],
    ['vi habits', ':wq', 'Message: :wq'],
    ['a sentence with that word as it is', 'exit code 1 is wrong', 'exit code 1 is wrong'],
    ['a backslash at the end, before a space', 'C:\\dir\\', 'C:\\dir\\ '],
    ['a name that would be completed, before a space', 'see @README.md', 'see @README.md '],
    ['an address as it is', 'mail maria@example.org', 'mail maria@example.org'],
  ])('%s', (_name, text, entered) => {
    expect(enterAsText(text, '!/')).toBe(entered)
  })
})

/** What the input lines of real agents make of a text that is submitted, as observed. */
interface InputLine {
  /** Commands begin with these, after spaces and line breaks were removed. */
  commands: string
  leaves: RegExp
}

const leaves = /^(?:exit|quit|:q|:q!|:wq|:wq!)$/i
const LINES: readonly (readonly [name: string, line: InputLine])[] = [
  ...AGENT_TABLE.map(
    ({ name, inputCommands = CAUTIOUS_COMMANDS }) => [name, { commands: inputCommands, leaves }] as const,
  ),
  ['an agent that nobody knows', { commands: CAUTIOUS_COMMANDS, leaves }],
]

/** Some agents remove what cannot be seen; ao itself removes control characters. */
const INVISIBLE = /(?![\t\n])(?:\p{Cc}|\p{Cf}|\u034f|\ufe0f|\u3164)/gu

/** null: it did something else than to pass a message on to its model. */
function submit(typed: string, { commands, leaves: ends }: InputLine): string | null {
  const entered = typed.replace(INVISIBLE, '')
  if (entered.endsWith('\\')) return null
  if (/(?:^|\s)@\S*$/.test(entered)) return null
  const text = entered.trim()
  if (text === '' || commands.includes(text[0]!) || ends.test(text)) return null
  return text
}

const HOSTILE = [
  ...[
    '/quit',
    '/exit',
    ' /quit',
    '  /quit',
    '/clear now',
    '/quit\nsecond line',
    '/model',
    '/compact',
    '\t/new',
    '\n/quit',
  ],
  ...['exit', 'quit', 'QUIT', ' exit\n', ':q', ':wq'],
  ...['!ls', '#note', '@README.md', '?', '&job', '$x', ':help', '>quote'],
  ...['\u0007/quit', '\u0000!ls', 'ex\u0007it', 'ends with \\\u0007', 'see @README.md\u001b', '\u0085/quit'],
  ...[
    '\u200b/quit',
    '\u200d/quit',
    '\ufeff!ls',
    '\u202e/quit',
    'e\u00adxit',
    '\u034f/quit',
    '\ufe0f/quit',
    '\u3164/quit',
  ],
  ...['ends with \\\u200b', 'see @README.md\u2060'],
  ...['ends with \\', 'ends with \\\\', '\\', 'see @README.md', 'see\n@x', '@', '!\\', '/quit \\'],
]

describe.each(LINES)('%s passes on exactly the text', (_name, line) => {
  const passedOn = (text: string) => {
    const output = submit(enterAsText(text, line.commands), line)
    return output === null ? null : withoutPreface(output).trim()
  }

  const visible = (text: string) => text.replace(INVISIBLE, '').trim()

  it.each(HOSTILE)('of %j', (text) => {
    expect(passedOn(text)).toBe(visible(text))
  })

  it('whatever it is', () => {
    const word = fc.constantFrom(
      'exit',
      'quit',
      '/quit',
      '!',
      '\\',
      '@',
      '@a',
      ' ',
      '\n',
      '#',
      'a',
      ':q',
      '$',
      'Message: ',
      '\u0007',
      '\u200b',
      '\ufe0f',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word, { maxLength: 6 }).map((tokens) => tokens.join('')),
        ),
        (text) => {
          fc.pre(visible(text) !== '' && !visible(text).startsWith('Message:'))
          expect(passedOn(text)).toBe(visible(text))
        },
      ),
    )
  })
})

it('invisible marks go, letters and emoji stay', () => {
  expect(withoutInvisible('a\u202eb\u202c\u200b\ufeffc 👩\u200d👧 é')).toBe('abc 👩\u200d👧 é')
})
