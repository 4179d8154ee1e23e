// What somebody sees who is not signed in: how to get a link, and a field for it.
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Command } from '../ui/empty-state.tsx'
import { TextField } from '../ui/text-field.tsx'

export function SignIn() {
  const [link, setLink] = useState('')
  const path = signInPath(link, location.pathname + location.search)
  function follow(event: FormEvent): void {
    event.preventDefault()
    if (path !== null) location.assign(path)
  }
  return (
    <main id="content" className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-xl font-semibold tracking-tight">This browser is not signed in</h1>
      <p>
        A link works once, for ten minutes. Get a new one in a terminal on the machine where ao runs:{' '}
        <Command>ao dashboard --no-open</Command> For a phone: <Command>ao device add &lt;name&gt;</Command>
      </p>
      <form onSubmit={follow} className="flex flex-col gap-3">
        <TextField
          label="Link"
          placeholder="http://localhost:3000/sign-in?code=…"
          autoComplete="off"
          value={link}
          onChange={(event) => setLink(event.target.value)}
        />
        {link.trim() !== '' && path === null && (
          <p role="alert" className="text-sm text-bad">
            This is not a link of ao: paste all of what the command prints.
          </p>
        )}
        <Button type="submit" variant="primary" disabled={path === null}>
          Sign in
        </Button>
      </form>
    </main>
  )
}

export function signInPath(pasted: string, from: string): string | null {
  const text = pasted.trim()
  const code = /(?:^|[?&]code=)([A-Za-z0-9_-]{16,200})(?:&|$)/.exec(text)?.[1]
  if (code !== undefined) return `/sign-in?${new URLSearchParams({ code, to: from })}`
  const pairing = /(?:\/r\/\w+)?\/pair\/[A-Za-z0-9_-]{16,200}$/.exec(text)?.[0]
  return pairing ?? null
}
