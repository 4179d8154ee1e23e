import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { redactDetails, redactText } from './redact-snapshot.ts'

describe('redactText', () => {
  it('takes out what core/text/redact.ts knows, and keeps the rest', () => {
    expect(redactText('GITHUB_TOKEN=ghp_0123456789abcdef0123 was refused')).toBe('GITHUB_TOKEN=[redacted] was refused')
    expect(redactText('the branch feat/token-refresh is taken')).toBe('the branch feat/token-refresh is taken')
  })

  it('is bounded, quickly, whatever it is given', () => {
    fc.assert(fc.property(fc.string({ maxLength: 2_000 }), (text) => redactText(text).length <= 256))
    const started = cpuMs()
    expect(redactText('token= '.repeat(1_000_000)).length).toBeLessThanOrEqual(256)
    expect(cpuMs() - started).toBeLessThan(1_000)
  })
})

describe('redactDetails', () => {
  it('hides the values of secret keys at every depth and keeps the others', () => {
    expect(
      redactDetails({
        remaining: 3,
        accessToken: 'abc',
        nested: { api_key: 'abc', prompt: 'the task', list: [{ password: 'x', host: 'example.invalid' }] },
      }),
    ).toEqual({
      remaining: 3,
      accessToken: '[redacted]',
      nested: {
        api_key: '[redacted]',
        prompt: '[redacted]',
        list: [{ password: '[redacted]', host: 'example.invalid' }],
      },
    })
  })

  it('turns anything into bounded JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), (details) => {
        const text = JSON.stringify(redactDetails(details))
        expect(JSON.parse(text)).toBeTypeOf('object')
      }),
    )
    const circular: Record<string, unknown> = { name: 'x' }
    circular.self = circular
    expect(JSON.stringify(redactDetails(circular))).toContain('[too deep]')
    expect(
      Object.keys(redactDetails(Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`k${n}`, n])))),
    ).toHaveLength(25)
  })
})
