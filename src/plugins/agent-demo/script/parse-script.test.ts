import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitCommand } from '../../../core/text/command-line.ts'
import { parseScript } from './parse-script.ts'
import { parseStep } from './parse-step.ts'

const script = (body: string) => parseScript(`Some words.\n\n\`\`\`demo\n${body}\n\`\`\`\n\nMore words.`)

describe('parseScript', () => {
  it('finds nothing in a text without a script', () => {
    expect(parseScript('Fix the login.\n```js\nsay hi\n```')).toBeNull()
  })

  it.each([
    ['say Hello there', { verb: 'say', text: 'Hello there' }],
    ['think 1.5', { verb: 'think', seconds: 1.5 }],
    ['wait 2 seconds', { verb: 'wait', seconds: 2 }],
    ['write a.txt hello\\nworld', { verb: 'write', path: 'a.txt', text: 'hello\nworld\n' }],
    ['write a.txt <<  kept  >>', { verb: 'write', path: 'a.txt', text: '  kept  \n' }],
    ['append a/b.md one more', { verb: 'append', path: 'a/b.md', text: 'one more\n' }],
    ['edit a.js a - b => a + b', { verb: 'edit', path: 'a.js', from: 'a - b', to: 'a + b' }],
    ['edit a.js remove me =>', { verb: 'edit', path: 'a.js', from: 'remove me', to: '' }],
    ['edit a.txt <<whole file>>', { verb: 'write', path: 'a.txt', text: 'whole file\n' }],
    ['delete a.txt', { verb: 'delete', path: 'a.txt' }],
    ['run echo "two words" x', { verb: 'run', argv: ['echo', 'two words', 'x'] }],
    ['commit Fix: it; $(rm)', { verb: 'commit', message: 'Fix: it; $(rm)' }],
    ['push', { verb: 'push' }],
    ['pr A title', { verb: 'pr', title: 'A title' }],
    ['ask Which one?', { verb: 'ask', question: 'Which one?' }],
    ['permission delete it', { verb: 'permission', what: 'delete it' }],
    ['fail no credit', { verb: 'fail', message: 'no credit' }],
    ['stuck', { verb: 'stuck' }],
    ['crash', { verb: 'crash', code: 1 }],
    ['crash 7', { verb: 'crash', code: 7 }],
    ['exit', { verb: 'exit', code: 0 }],
    ['finish All done', { verb: 'finish', text: 'All done' }],
    ['SAY loud', { verb: 'say', text: 'loud' }],
  ])('reads %j', (line, step) => {
    expect(script(line)?.steps).toEqual([step])
  })

  it.each([
    ['dance', 'there is no such verb'],
    ['constructor x', 'there is no such verb'],
    ['write', 'it needs a path'],
    ['think long', 'it needs a number of seconds'],
    ['think -1', 'it needs a number of seconds'],
    ['crash 300', 'an exit code is a number from 0 to 255'],
    ['pr', 'it needs a title'],
  ])('keeps %j as a line to complain about', (line, why) => {
    expect(script(line)?.steps).toEqual([{ verb: 'unknown', line, why }])
  })

  it('takes a heredoc literally, indentation and empty lines included', () => {
    expect(script('write a.txt <<END\n  one\n\n# no comment\nEND\nsay after')?.steps).toEqual([
      { verb: 'write', path: 'a.txt', text: '  one\n\n# no comment\n' },
      { verb: 'say', text: 'after' },
    ])
  })

  it('keeps blocks for later messages apart, each with its word', () => {
    expect(script('say now\non ci-failed:\nsay one\non message:\nsay two\non ci-failed:\nsay three')).toEqual({
      steps: [{ verb: 'say', text: 'now' }],
      reactions: [
        { on: 'ci-failed', steps: [{ verb: 'say', text: 'one' }] },
        { on: 'message', steps: [{ verb: 'say', text: 'two' }] },
        { on: 'ci-failed', steps: [{ verb: 'say', text: 'three' }] },
      ],
    })
  })

  it('reads lines that start with demo:', () => {
    expect(parseScript('Please\ndemo: say one\n> demo: say two\nthanks')?.steps).toEqual([
      { verb: 'say', text: 'one' },
      { verb: 'say', text: 'two' },
    ])
  })

  it('reads a block inside a quoted issue and inside the fence around untrusted text', () => {
    const quoted = '> ```demo\n> write a <<E\n> x\n> E\n> ```'
    expect(parseScript(quoted)?.steps).toEqual([{ verb: 'write', path: 'a', text: 'x\n' }])
    expect(parseScript('~~~\nTitle\n```demo\nsay in\n```\n~~~')?.steps).toEqual([{ verb: 'say', text: 'in' }])
  })

  it('never throws, whatever the block contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (body) => {
        const found = script(body)
        expect(found === null || Array.isArray(found.steps)).toBe(true)
      }),
    )
  })
})

describe('parseStep and splitCommand', () => {
  it('gives back every word that was quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), (parts) => {
        const line = parts.map((word) => `"${word.replace(/[\\"]/g, '\\$&')}"`).join(' ')
        expect(splitCommand(line)).toEqual(parts)
      }),
    )
  })

  it('reports a quotation mark that is not closed', () => {
    expect(parseStep('run echo "half')).toEqual({
      verb: 'unknown',
      line: 'run echo "half',
      why: 'a quotation mark is not closed',
    })
  })

  it('never hands a shell its special characters', () => {
    expect(parseStep('run echo $HOME; rm -rf "$(x)" | y')).toEqual({
      verb: 'run',
      argv: ['echo', '$HOME;', 'rm', '-rf', '$(x)', '|', 'y'],
    })
  })
})
