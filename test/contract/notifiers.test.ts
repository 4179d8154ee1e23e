import { createHmac } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plugin as desktop } from '../../src/plugins/notifier-desktop/index.ts'
import { plugin as discord } from '../../src/plugins/notifier-discord/index.ts'
import { plugin as ntfy } from '../../src/plugins/notifier-ntfy/index.ts'
import { plugin as slack } from '../../src/plugins/notifier-slack/index.ts'
import { signMessage, plugin as webhook } from '../../src/plugins/notifier-webhook/index.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { describeHttpNotifier, NEEDS_INPUT, pluginContext } from './notifier-suite.ts'

describeHttpNotifier('slack', {
  plugin: slack,
  options: (url) => ({ webhookUrl: `${url}/services/T0/B0/secret` }),
  badOptions: [
    ['no address', {}],
    ['an address that is none', { webhookUrl: 'nowhere' }],
    ['unknown keys', { webhookUrl: 'https://example.invalid/x', colour: 'red' }],
  ],
  read: ({ body }) => (JSON.parse(body) as { text: string }).text,
})

describeHttpNotifier('discord', {
  plugin: discord,
  options: (url) => ({ webhookUrl: `${url}/api/webhooks/1/secret` }),
  badOptions: [
    ['no address', {}],
    ['unknown keys', { webhookUrl: 'https://example.invalid/x', avatar: 1 }],
  ],
  read: ({ body }) => {
    const { content, allowed_mentions } = JSON.parse(body) as { content: string; allowed_mentions: unknown }
    expect(allowed_mentions).toEqual({ parse: [] })
    expect(content.length).toBeLessThanOrEqual(2_000)
    return content
  },
})

it('lets no agent write a link on Discord that looks like one of ours', async () => {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text))
    request.on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const notifier = discord.create({ webhookUrl: `http://127.0.0.1:${port}/x` }, pluginContext())
  const message = '[Allow once](https://evil.example) \\[Deny](https://evil.example) <@1>'
  await notifier.notify({ ...NEEDS_INPUT, message, actions: [{ label: 'Allow once', url: 'https://ours.example' }] })
  server.close()
  const { content } = JSON.parse(bodies.join('')) as { content: string }
  // Links that Discord would make: an opening bracket with an even number of backslashes before it.
  const links = [...content.matchAll(/(?<!\\)(?:\\\\)*\[[^\]]*\]\(<?([^)>]*)/g)].map(([, address]) => address)
  expect(links).toEqual(['https://ours.example'])
  expect(content).toContain('\\<@1>')
})

describeHttpNotifier('webhook', {
  plugin: webhook,
  options: (url) => ({ url: `${url}/hook?token=secret`, secret: 'a good secret', headers: { 'x-mine': 'yes' } }),
  badOptions: [
    ['no address', {}],
    ['a short secret', { url: 'https://example.invalid', secret: 'x' }],
  ],
  read: ({ body, headers }) => {
    const signature = createHmac('sha256', 'a good secret').update(body).digest('hex')
    expect(headers).toMatchObject({ 'x-ao-signature-256': `sha256=${signature}`, 'x-mine': 'yes' })
    const { 'webhook-id': id, 'webhook-timestamp': time } = headers
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60)
    const standard = createHmac('sha256', 'a good secret').update(`${id}.${time}.${body}`).digest('base64')
    expect(headers).toMatchObject({
      'webhook-signature': `v1,${standard}`,
      'user-agent': expect.stringMatching(/^ao\//),
    })
    expect(JSON.parse(body)).toEqual(NEEDS_INPUT)
    return body
  },
})

// The example of the specification at standardwebhooks.com.
it('webhook signs as Standard Webhooks does', () => {
  const message = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
  expect(signMessage('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})

describeHttpNotifier('ntfy', {
  plugin: ntfy,
  options: (url) => ({ server: url, topic: 'my-agents', token: 'tk_1' }),
  badOptions: [
    ['no topic', {}],
    ['a topic that is a path', { topic: 'a/b' }],
  ],
  read: ({ body, headers }) => {
    expect(headers.authorization).toBe('Bearer tk_1')
    const { title, message, topic, priority } = JSON.parse(body) as Record<string, unknown>
    expect(topic).toBe('my-agents')
    expect(priority).toBe(2)
    return `${title} ${message}`
  },
})

describe('notifier desktop', () => {
  let temp: TempHome
  let bin: string
  beforeEach(() => {
    temp = createTempHome()
    bin = join(temp.home, 'bin')
    mkdirSync(bin)
  })
  afterEach(async () => {
    expect(await temp.cleanup()).toEqual([])
  })

  const name = process.platform === 'darwin' ? 'osascript' : 'notify-send'
  function fakeCommand(script: string): void {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const create = () => desktop.create({}, pluginContext({ ...temp.env, PATH: `${bin}:/usr/bin:/bin` }))

  it('S3.27 hands title and message over as arguments, whatever is in them', async () => {
    const file = join(temp.home, 'arguments')
    fakeCommand(`for one in "$@"; do printf '%s\\0' "$one"; done > ${file}`)
    await create().notify({ ...NEEDS_INPUT, message: '$(touch /nowhere) `x` "y" -- <b>', priority: 'urgent' })
    const argv = readFileSync(file, 'utf8').split('\0')
    expect(argv.some((word) => word.includes('app-1'))).toBe(true)
    expect(argv.some((word) => word.includes('$(touch /nowhere) `x` "y" --'))).toBe(true)
  })

  it('says what went wrong, and that a missing program stays missing', async () => {
    fakeCommand('echo no display >&2; exit 1')
    await expect(create().notify(NEEDS_INPUT)).rejects.toMatchObject({
      message: expect.stringContaining('no display'),
      permanent: false,
    })
    const nowhere = desktop.create({}, pluginContext({ ...temp.env, PATH: join(temp.home, 'empty') }))
    await expect(nowhere.notify(NEEDS_INPUT)).rejects.toMatchObject({ permanent: true })
    expect(await desktop.detect!(pluginContext({ PATH: join(temp.home, 'empty') }))).toMatchObject({ ok: false })
  })

  it('refuses unknown options', () => {
    expect(() => desktop.create({ volume: 11 }, pluginContext())).toThrow(/Options of the notifier plugin/)
  })
})
