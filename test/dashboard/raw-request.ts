// One HTTP request exactly as written: any Host, any Origin, any path, none of which fetch would send.
import { request } from 'node:http'

export interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export interface RawRequest {
  port: number
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

export function rawRequest({ port, path, method = 'GET', headers = {}, body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      const answer = () => ({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: Buffer.concat(chunks).toString(),
      })
      // A stream has no end of its own: that it began is the answer.
      if (response.headers['content-type'] === 'text/event-stream') {
        resolve(answer())
        sent.destroy()
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(answer()))
    })
    sent.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '' })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
