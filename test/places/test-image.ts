// A tiny image made of this machine's own files, so that nothing is downloaded: busybox, git, bash and the C library.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

export const TEST_IMAGE = 'ao-places-test:1'

/** Where busybox has one too, the tests need an option that only this one knows. */
const PROGRAMS = ['/usr/bin/git', '/bin/bash', '/usr/bin/setsid', '/usr/bin/nohup', '/usr/bin/env']

export function makeRootFilesystem(): string {
  const root = mkdtempSync(join(tmpdir(), 'aot-image-'))
  for (const path of ['bin', 'usr/bin', 'usr/lib/git-core', 'usr/share/git-core/templates', 'tmp', 'root', 'etc']) {
    mkdirSync(join(root, path), { recursive: true })
  }
  const busybox = execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim()
  copyFileSync(busybox, join(root, 'bin/busybox'))
  for (const name of execFileSync(busybox, ['--list'], { encoding: 'utf8' }).split('\n')) {
    // A cleared environment leaves the C library's own PATH, where /bin comes first.
    if (name !== '' && name !== 'busybox' && !PROGRAMS.some((program) => basename(program) === name))
      symlinkSync('busybox', join(root, 'bin', name))
  }
  for (const program of PROGRAMS) copyProgram(root, program)
  for (const name of ['git-upload-pack', 'git-receive-pack'])
    symlinkSync('../../bin/git', join(root, 'usr/lib/git-core', name))
  for (const name of ['git-upload-pack', 'git-receive-pack']) symlinkSync('git', join(root, 'usr/bin', name))
  const terminal = createRequire(import.meta.url).resolve(`@lydell/node-pty-linux-${process.arch}/pty.node`)
  for (const program of [process.execPath, terminal, ...PROGRAMS]) copyLibraries(root, program)
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
  return root
}

function copyLibraries(root: string, program: string): void {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' })
  for (const [path] of listed.matchAll(/\/\S+/g)) {
    if (existsSync(join(root, path))) continue
    mkdirSync(dirname(join(root, path)), { recursive: true })
    copyFileSync(path, join(root, path))
  }
}

function copyProgram(root: string, program: string): void {
  copyFileSync(program, join(root, program))
  chmodSync(join(root, program), 0o755)
}
