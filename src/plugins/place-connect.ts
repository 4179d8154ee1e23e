// A channel to the host of a session in a place: stdin and stdout are a connection to its socket, `connect <directory>`. Sent
// there as a file of its own, because each channel is a process. Exit code 3: nothing listens there.
import { createConnection } from 'node:net'

const socket = createConnection(`${process.argv[2]}/sock`)
socket.on('error', (error) => {
  process.stderr.write(`no host: ${error.message}\n`)
  process.exit(3)
})
socket.on('close', () => process.exit(0))
process.stdin.pipe(socket)
socket.pipe(process.stdout)
process.stdin.on('end', () => socket.end())
process.stdout.on('error', () => socket.destroy())
