// A reader of the dashboard's stream that counts its bytes and says when something has come.
import { request } from 'node:http'

export async function readStream({ port, token }) {
  const sent = request({
    host: '127.0.0.1',
    port,
    // As a page asks for it; a page's WebSocket also compresses a whole board.
    path: '/api/stream?cards=lean',
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  })
  const response = await new Promise((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end()
  })
  response.setEncoding('utf8')
  response.on('error', () => undefined)
  let waits = []
  let pending = ''
  function until(holds) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('it never came')), 20_000)
      waits.push({ holds, resolve, timer })
    })
  }
  const board = Promise.withResolvers()
  const reader = {
    bytes: 0,
    untilBoard: () => board.promise,
    untilText: (text) => until((frame) => frame.includes(text)),
    untilCard: (id, holds) => until((frame) => cardsOf(frame).some((card) => card.id === id && holds(card))),
    stopReading: () => response.pause(),
    close: () => sent.destroy(),
  }
  response.on('data', (text) => {
    reader.bytes += text.length
    const frames = (pending + text).split('\n\n')
    pending = frames.pop()
    for (const frame of frames) {
      if (frame.includes('\nevent: board\n')) board.resolve()
      const done = waits.filter(({ holds }) => holds(frame))
      waits = waits.filter((wait) => !done.includes(wait))
      for (const { resolve, timer } of done) {
        clearTimeout(timer)
        resolve()
      }
    }
  })
  return reader
}

function cardsOf(frame) {
  const data = /^data: (.*)$/m.exec(frame)?.[1]
  return data === undefined ? [] : (JSON.parse(data).sessions ?? [])
}
