// The contract of every notifier: it delivers as documented, refuses unknown options, and reports how to retry.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../src/lib/log.ts'
import type { Notification, Notifier } from '../../src/slots/notifier.ts'
import type { Plugin, PluginContext } from '../../src/slots/plugin.ts'

export interface Received {
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface HttpNotifierCase {
  plugin: Plugin<'notifier'>
  options(url: string): Record<string, unknown>
  badOptions: Array<[what: string, options: Record<string, unknown>]>
  /** The text that a person gets to see. */
  read(received: Received): string
}

export const NEEDS_INPUT: Notification = {
  type: 'session.needs_input',
  sessionId: 'app-1',
  message: 'Session waiting for your input',
}

export function pluginContext(env: NodeJS.ProcessEnv = {}): PluginContext {
  return { home: '/nowhere', env, log: silentLog, configDir: '/nowhere', dataDir: '/nowhere' }
}

export function describeHttpNotifier(name: string, { plugin, options, badOptions, read }: HttpNotifierCase): void {
  describe(`notifier ${name}`, () => {
    const received: Received[] = []
    let answer: { status: number; headers?: Record<string, string>; hangs?: boolean } = { status: 200 }
    let server: Server
    let notifier: Notifier
    let url: string

    beforeAll(async () => {
      server = createServer((request, response) => {
        let body = ''
        request.on('data', (chunk: Buffer) => {
          body += chunk.toString()
        })
        request.on('end', () => {
          received.push({ path: request.url ?? '', headers: request.headers, body })
          if (answer.hangs) return
          response.writeHead(answer.status, answer.headers).end('a secret of nobody')
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      notifier = plugin.create(options(url), pluginContext())
    })
    beforeEach(() => {
      received.length = 0
      answer = { status: 200 }
    })
    afterAll(() => {
      server.closeAllConnections()
      server.close()
    })

    it('passes on what can be done about it, as links', async () => {
      const actions = ['Allow once', 'Deny'].map((label, n) => ({ label, url: `https://ao.test/answer/${n}` }))
      await notifier.notify({ ...NEEDS_INPUT, actions })
      const [{ body }] = received as [Received]
      for (const action of actions) for (const word of Object.values(action)) expect(body).toContain(word)
    })

    it('S3.27 delivers session.needs_input with its session and message', async () => {
      await notifier.notify(NEEDS_INPUT)
      expect(received).toHaveLength(1)
      expect(read(received[0]!)).toContain('app-1')
      expect(read(received[0]!)).toContain('Session waiting for your input')
    })

    it('delivers hostile and long text as text', async () => {
      const message = `<!channel> @everyone "quotes" \\ \n${'x'.repeat(20_000)}`
      await notifier.notify({ ...NEEDS_INPUT, message, priority: 'urgent', url: 'https://example.invalid/1' })
      expect(() => JSON.parse(received[0]!.body)).not.toThrow()
    })

    it.each([
      [429, { 'retry-after': '7' }, { permanent: false, retryAfterMs: 7_000 }],
      [503, {}, { permanent: false, retryAfterMs: undefined }],
      [404, {}, { permanent: true }],
      [401, {}, { permanent: true }],
    ])('says of an answer %i whether and when to try again', async (status, headers, expected) => {
      answer = { status, headers }
      const error = await notifier.notify(NEEDS_INPUT).then(
        () => null,
        (caught: unknown) => caught,
      )
      expect(error).toMatchObject({ name: 'NotifierError', ...expected })
    })

    it('says that nobody is there, and that this may change', async () => {
      const away = plugin.create(options('http://127.0.0.1:9'), pluginContext())
      await expect(away.notify(NEEDS_INPUT)).rejects.toMatchObject({ name: 'NotifierError', permanent: false })
    })

    it('keeps its address out of errors, where a token may be', async () => {
      answer = { status: 500 }
      const { pathname } = new URL(String(Object.values(options(url)).find((one) => String(one).startsWith('http'))))
      const error = (await notifier.notify(NEEDS_INPUT).catch((caught: unknown) => caught)) as Error
      if (pathname !== '/') expect(error.message).not.toContain(pathname)
    })

    it.each(badOptions)('refuses %s', (_what, bad) => {
      expect(() => plugin.create(bad, pluginContext())).toThrow(/Options of the notifier plugin/)
    })
  })
}
