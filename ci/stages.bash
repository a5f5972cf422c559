# Stages of a long script: each runs whatever the others said, unless it needs one that failed, and
# all of them are shown at the end. Source it from the root of the project, then call start_stages.

# start_stages RECORD: where the stages are noted, as `name<TAB>verdict<TAB>seconds`.
start_stages() {
  readonly kRecord=$1
  mkdir -p "$(dirname "$kRecord")"
  : >"$kRecord"
}

record_stage() {
  printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$kRecord"
}

stage_passed() {
  grep -qF "$1"$'\tpass' "$kRecord"
}

# stage NAME NEEDED COMMAND...: NEEDED is a stage that must have passed, or - for none. A command
# that exits 77 had nothing to check here, which is no failure but is shown.
stage() {
  local name=$1 needed=$2 start=$SECONDS result=0 verdict
  shift 2
  echo
  echo "== $name"
  if [[ $needed != - ]] && ! stage_passed "$needed"; then
    echo "not run, since '$needed' did not pass"
    record_stage "$name" 'NOT RUN' 0
    return 0
  fi
  "$@" || result=$?
  case $result in
    0) verdict=pass ;;
    77) verdict=absent ;;
    *) verdict=FAIL ;;
  esac
  record_stage "$name" "$verdict" $((SECONDS - start))
  echo "-- $name: $verdict, $((SECONDS - start)) s"
}

show_stages() {
  echo
  echo "== summary"
  awk -F '\t' '{ printf "%-20s %-8s %5d s\n", $1, $2, $3 }' "$kRecord"
}

# Whether all of them passed, or had nothing to check. A record that is gone shows nothing.
stages_are_green() {
  [[ -s $kRecord ]] && ! cut -f2 "$kRecord" | grep -qvE '^(pass|absent)$'
}
