// What any program must do to ask a daemon one question: start, connect, send, read the answer to its end.
import { connect } from 'node:net'

const [, , socketPath, path] = process.argv
const socket = connect(socketPath)
let text = ''
socket.setEncoding('utf8')
socket.on('data', (part) => {
  text += part
})
socket.on('end', () => JSON.parse(text.slice(text.indexOf('\r\n\r\n'))))
socket.write(`GET ${path} HTTP/1.0\r\nhost: localhost\r\n\r\n`)
