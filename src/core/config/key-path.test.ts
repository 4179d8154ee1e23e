// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatKey, parseKey } from './key-path.ts'
import { hideWritten, isSecretPath } from './secret-path.ts'

describe('a key of the configuration', () => {
  it('is read back as it was written', () => {
    const part = fc.oneof(fc.string({ minLength: 1, maxLength: 64 }), fc.nat(9_999))
    const path = fc.tuple(fc.string({ minLength: 1, maxLength: 64 }), fc.array(part, { maxLength: 5 }))
    fc.assert(
      fc.property(path, ([first, rest]) => {
        expect(parseKey(formatKey([first, ...rest]))).toEqual([first, ...rest])
      }),
    )
  })

  it.each(['', '.', 'a.', 'a..b', '[0]', 'a[', 'a[x]', 'a b', 'a."b', '"\\x"'])('is not %j', (text) => {
    expect(parseKey(text)).toBeNull()
  })
})

describe('a secret', () => {
  it.each([
    ['dashboard', 'token'],
    ['notifiers', 'chat', 'webhookUrl'],
    ['notifiers', 'hook', 'url'],
    ['notifiers', 'hook', 'headers', 'X-Key'],
    ['webhooks', 'github', 'secret'],
    ['projects', 'app', 'agentConfig', 'env', 'OPENAI_API_KEY'],
  ])('is known by its key: %s.%s.%s', (...path) => {
    expect(isSecretPath(path)).toBe(true)
  })

  it.each([
    ['notifiers', 'webhook', 'plugin'],
    ['projects', 'token-service', 'path'],
    ['projects', 'app', 'url'],
  ])('is not what somebody called so: %s.%s.%s', (...path) => {
    expect(isSecretPath(path)).toBe(false)
  })

  it('is hidden where it is written, and shown where only its variable is named', () => {
    const written = { notifiers: { a: { plugin: 'ntfy', token: 'tk_literal', topic: 'ops' }, b: { token: '${NTFY}' } } }
    expect(hideWritten(written)).toEqual({
      notifiers: { a: { plugin: 'ntfy', token: '[hidden]', topic: 'ops' }, b: { token: '${NTFY}' } },
    })
    // A switch is no secret, whatever it is called.
    expect(hideWritten({ gates: { secrets: true } })).toEqual({ gates: { secrets: true } })
  })
})
