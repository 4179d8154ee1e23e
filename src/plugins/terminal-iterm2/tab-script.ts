// The AppleScript that shows or opens a tab. Constant: what differs is passed as arguments, so that nothing can be
// injected. Arguments: the key that marks the tab, its title, the command line to type into it. A tab is identified by a
// variable of its session, because titles change with what runs inside.
export const TAB_SCRIPT = `on run argv
  set tabKey to item 1 of argv
  set tabTitle to item 2 of argv
  set commandLine to item 3 of argv
  tell application "iTerm2"
    activate
    repeat with oneWindow in windows
      repeat with oneTab in tabs of oneWindow
        repeat with oneSession in sessions of oneTab
          set foundKey to ""
          try
            tell oneSession to set foundKey to (variable named "user.aoSession")
          end try
          if foundKey is tabKey then
            select oneWindow
            select oneTab
            select oneSession
            return "shown"
          end if
        end repeat
      end repeat
    end repeat
    if (count of windows) is 0 then
      create window with default profile
    else
      tell current window to create tab with default profile
    end if
    tell current session of current window
      set name to tabTitle
      set variable named "user.aoSession" to tabKey
      write text commandLine
    end tell
  end tell
  return "opened"
end run
`
