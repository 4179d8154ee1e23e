import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { checkTcpAccess } from './check-access.ts'

const TOKEN = 'a-token-of-the-daemon'
const OWN = process.getuid!()

function ask(uid: number | null, headers: Record<string, string>): void {
  const request = {
    headers: { host: 'localhost:2123', ...headers },
    socket: new Socket(),
  } as unknown as IncomingMessage
  checkTcpAccess(request, { port: 2123, tokenFile: '/home/ann/.agh/http-token', token: () => TOKEN, uidOf: () => uid })
}

describe('access over TCP', () => {
  it('is for the same user, without a token, where the system knows who is asking', () => {
    expect(() => ask(OWN, {})).not.toThrow()
    expect(() => ask(OWN + 1, {})).toThrow(/only processes of the same user/)
    expect(() => ask(OWN + 1, { authorization: `Bearer ${TOKEN}` })).toThrow(/only processes of the same user/)
  })

  it('is by token where the system does not know, as on macOS', () => {
    expect(() => ask(null, { authorization: `Bearer ${TOKEN}` })).not.toThrow()
    expect(() => ask(null, {})).toThrow(/no token was sent/)
    for (const authorization of ['Bearer wrong', `Basic ${TOKEN}`, 'Bearer ', TOKEN]) {
      expect(() => ask(null, { authorization })).toThrow(/Refused/)
    }
    let hint = ''
    try {
      ask(null, {})
    } catch (error) {
      hint = (error as { hint: string }).hint
    }
    expect(hint).toContain(`Bearer $(cat '/home/ann/.agh/http-token')`)
  })

  it.each([{ origin: 'https://evil.example' }, { host: 'evil.example:2123' }, { 'sec-fetch-site': 'none' }])(
    'is never for browsers and other names, token or not: %j',
    (headers) => {
      expect(() => ask(null, { authorization: `Bearer ${TOKEN}`, ...(headers as Record<string, string>) })).toThrow(
        /Refused/,
      )
      expect(() => ask(OWN, headers as Record<string, string>)).toThrow(/Refused/)
    },
  )
})
