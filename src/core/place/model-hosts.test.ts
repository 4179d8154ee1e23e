import { describe, expect, it } from 'vitest'
import { allowedTarget, modelHosts } from './model-hosts.ts'

describe('what an agent with network: model-only may reach', () => {
  const environment = {
    ANTHROPIC_BASE_URL: 'http://gateway.lan:8080/v1',
    OPENAI_API_KEY: 'k',
    GIT_URL: 'https://evil.com',
  }
  const allowed = modelHosts(environment, ['models.example.com', 'other.example.com:8443'])

  it.each([
    ['api.anthropic.com:443', true],
    ['API.Anthropic.com:443', true],
    ['gateway.lan:8080', true],
    ['models.example.com:443', true],
    ['other.example.com:8443', true],
    ['other.example.com:443', false],
    ['api.anthropic.com:22', false],
    ['evil.api.anthropic.com:443', false],
    ['api.anthropic.com.evil.com:443', false],
    ['evil.com:443', false],
    ['127.0.0.1:443', false],
    ['169.254.169.254:80', false],
    ['api.anthropic.com', false],
    ['', false],
    [null, false],
    [{ host: 'api.anthropic.com' }, false],
  ])('%s: %s', (value, expected) => expect(allowedTarget(value, allowed) !== null).toBe(expected))

  it('is given apart, as a connection needs it', () =>
    expect(allowedTarget('gateway.lan:8080', allowed)).toEqual({ host: 'gateway.lan', port: 8080 }))
})
