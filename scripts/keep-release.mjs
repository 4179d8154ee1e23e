// test/fixtures/release-before/: the commands of an earlier commit, for tests in which two versions meet. Built from that commit with the
// packages that are installed now, minified, and compressed; without the page and what only `ao gh` reads.
//   node scripts/keep-release.mjs <commit>
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { transform } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const KEPT = join(ROOT, 'test/fixtures/release-before')
const LEFT_OUT = /(\.map|\.wasm|\.graphql|\.txt|\.stamp)$|^(web|man|types|far)$|^(jq|answer-graphql)-/

const commit = execFileSync('git', ['rev-parse', '--verify', `${process.argv[2]}^{commit}`], {
  cwd: ROOT,
  encoding: 'utf8',
}).trim()
const subject = execFileSync('git', ['show', '-s', '--format=%s', commit], { cwd: ROOT, encoding: 'utf8' }).trim()
const work = mkdtempSync(join(tmpdir(), 'ao-release-'))
try {
  const source = join(work, 'source')
  mkdirSync(source)
  execFileSync('sh', ['-c', 'git -C "$0" archive "$1" | tar -x -C "$2"', ROOT, commit, source])
  rmSync(join(source, 'web'), { recursive: true, force: true })
  symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'))
  execFileSync(process.execPath, [join(source, 'scripts/build.mjs')], { cwd: source, stdio: 'inherit' })
  await shrink(join(source, 'dist'))
  const archive = join(work, 'dist.tar')
  const order = ['--sort=name', '--owner=0', '--group=0', '--mtime=2026-01-01']
  execFileSync('tar', ['-cf', archive, ...order, '-C', source, 'dist', 'package.json'])
  mkdirSync(KEPT, { recursive: true })
  const size = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 }
  writeFileSync(join(KEPT, 'package.tar.br'), brotliCompressSync(readFileSync(archive), { params: size }))
  writeFileSync(
    join(KEPT, 'README.md'),
    `The commands of the commit "${subject}" (${commit}), made by \`node scripts/keep-release.mjs\`.\n`,
  )
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function shrink(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (LEFT_OUT.test(entry.name)) rmSync(path, { recursive: true, force: true })
    else if (entry.isDirectory()) await shrink(path)
    // Hosts share names between their files.
    else if (entry.name.endsWith('.js')) {
      const text = readFileSync(path, 'utf8')
      const [shebang = ''] = /^#!.*\n/.exec(text) ?? []
      const { code } = await transform(text.slice(shebang.length), {
        minify: true,
        keepNames: true,
        target: 'node22',
        legalComments: 'none',
      })
      writeFileSync(path, `${shebang}${code}`)
    }
  }
}
