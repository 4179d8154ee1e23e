// The built page as files: only files found in its directory are ever sent, so no path can escape it.
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isPagePath } from '../../contract/dashboard/page-paths.ts'
import { acceptsEncoding } from '../../http/exchange.ts'
import { ownFiles } from '../../lib/process/own-files.ts'

export interface PageFiles {
  /** GET or HEAD of anything that is not the API. */
  send(request: IncomingMessage, response: ServerResponse, path: string): void
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Next to the bundled command; when running from source, in the last build. */
export function defaultPageDirectory(): string {
  const besideUs = import.meta.url.endsWith('.ts') ? '../../../dist/web/' : './web/'
  return fileURLToPath(new URL(besideUs, import.meta.url))
}

export function createPageFiles(directory: string): PageFiles {
  let builtAt = 0
  let files = new Map<string, string>()
  /** A build while we are running replaces them. */
  const refresh = () => {
    const index = statSync(join(directory, 'index.html'), { throwIfNoEntry: false })
    if (index?.mtimeMs === builtAt) return
    builtAt = index?.mtimeMs ?? 0
    files = listFiles(directory)
  }
  return {
    send(request, response, path) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end()
        return
      }
      refresh()
      const file = files.get(path)
      if (file !== undefined && path !== '/index.html') return sendFile(request, response, file, path)
      const index = files.get('/index.html')
      if (index === undefined) return sayNotBuilt(response)
      // A missing file must not be answered with a page: a browser would take it for a script.
      if (extname(path) !== '' || path.startsWith('/assets/')) {
        response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('There is no such file\n')
        return
      }
      // A browser is shown the page's own "not found"; a probe must not take the page for a success.
      const isFound = isPagePath(path)
      if (isFound || acceptsHtml(request)) return sendFile(request, response, index, '/index.html', isFound ? 200 : 404)
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('There is no such page\n')
    },
  }
}

function listFiles(directory: string): Map<string, string> {
  if (!existsSync(directory)) return new Map()
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return [`/${relative(directory, file).split(sep).join('/')}`, file]
    }),
  )
}

function acceptsHtml({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') ?? false
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: string, path: string, status = 200): void {
  const type = TYPES[extname(file)]
  const sent = type === undefined ? null : chooseForm(request, file)
  if (sent === null || type === undefined) {
    response.writeHead(404).end()
    return
  }
  // The build puts a hash of the content into these names.
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
  response.writeHead(status, {
    'content-type': type,
    'content-length': sent.size,
    'cache-control': cache,
    vary: 'accept-encoding',
    ...(sent.encoding !== null && { 'content-encoding': sent.encoding }),
  })
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const stream = createReadStream(sent.file)
  // Being replaced by a build at this very moment: the browser tries again.
  stream.on('error', () => response.destroy())
  response.on('close', () => stream.destroy())
  stream.pipe(response)
}

const FORMS = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' },
] as const

interface ServedForm {
  file: string
  size: number
  encoding: (typeof FORMS)[number]['encoding'] | null
}

/** The build compresses. A compressed file older than the file itself is of another build. null: the file is gone. */
function chooseForm(request: IncomingMessage, file: string): ServedForm | null {
  const plain = statSync(file, { throwIfNoEntry: false })
  if (plain === undefined) return null
  for (const { encoding, ending } of FORMS) {
    if (!acceptsEncoding(request, encoding)) continue
    const packed = statSync(`${file}${ending}`, { throwIfNoEntry: false })
    if (packed && packed.mtimeMs >= plain.mtimeMs) return { file: `${file}${ending}`, size: packed.size, encoding }
  }
  return { file, size: plain.size, encoding: null }
}

function sayNotBuilt(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8' })
  const why =
    ownFiles() === 'same' ? 'The page was not built: npm run build' : 'ao is being replaced by another version'
  response.end(`${why}\n`)
}
